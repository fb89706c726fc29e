// QueryPeer.java: Lucene 8 as a peer of the searcher: queries in, nanoseconds and match totals out.
// Usage: QueryPeer DIR QUERIES WARM ROUNDS OPERATION...
// QUERIES: lines "qid<TAB>words"; words are terms of field x as they are. OPERATION: and:K, or:K, phrase:K
// (the K best, BM25 with k1 1.2 and b 0.75), and:count, or:count, phrase:count. Out: lines
// "operation<TAB>qid<TAB>nanoseconds<TAB>total"; the time is the best of ROUNDS, which alternate over
// the operations and begin each at another query; before them come rounds that are not counted, for WARM
// seconds of CPU time an operation. The K best come without a total: -1.
// Kindest settings: one segment, no query cache, the threshold of counted hits is K, so that pruning
// begins as soon as it can; CPU time of the searching thread, so that compiler and collector are free.

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.store.MMapDirectory;

public final class QueryPeer {
    private static final int COUNT = 0;

    private static Query query(String kind, String[] words) {
        if (kind.equals("phrase")) {
            return new PhraseQuery("x", words);
        }
        BooleanQuery.Builder builder = new BooleanQuery.Builder();
        for (String word : words) {
            builder.add(new TermQuery(new Term("x", word)),
                kind.equals("and") ? Occur.MUST : Occur.SHOULD);
        }
        return builder.build();
    }

    private static long total(IndexSearcher searcher, Query query, int k) throws IOException {
        if (k == COUNT) {
            return searcher.count(query);
        }
        TopScoreDocCollector collector = TopScoreDocCollector.create(k, null, k);
        searcher.search(query, collector);
        return collector.topDocs().scoreDocs.length;
    }

    /** One pass over the queries, from the first-th on; the times of a round that counts go to best. */
    private static void pass(IndexSearcher searcher, String operation, List<String[]> words, int first,
            boolean counts, long[] best, long[] totals) throws IOException {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        String[] parts = operation.split(":");
        int k = parts[1].equals("count") ? COUNT : Integer.parseInt(parts[1]);
        int n = words.size();
        for (int j = 0; j < n; j++) {
            int i = (first + j) % n;
            long begin = clock.getCurrentThreadCpuTime();
            long total = total(searcher, query(parts[0], words.get(i)), k);
            long time = clock.getCurrentThreadCpuTime() - begin;
            if (counts && time < best[i]) {
                best[i] = time;
            }
            totals[i] = k == COUNT ? total : -1;
        }
    }

    private static void round(IndexSearcher searcher, String[] operations, List<String[]> words, int first,
            boolean counts, long[][] best, long[][] totals) throws IOException {
        for (int o = 0; o < operations.length; o++) {
            pass(searcher, operations[o], words, first, counts, best[o], totals[o]);
        }
    }

    private static void read(String path, List<String> ids, List<String[]> words) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(Paths.get(path), StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int tab = line.indexOf('\t');
                ids.add(line.substring(0, tab));
                words.add(line.substring(tab + 1).split(" "));
            }
        }
    }

    private static void print(String[] operations, List<String> ids, long[][] best, long[][] totals) {
        StringBuilder out = new StringBuilder();
        for (int o = 0; o < operations.length; o++) {
            for (int i = 0; i < ids.size(); i++) {
                out.append(operations[o]).append('\t').append(ids.get(i)).append('\t')
                    .append(best[o][i]).append('\t').append(totals[o][i]).append('\n');
            }
        }
        System.out.print(out);
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 5) {
            System.err.println("usage: QueryPeer DIR QUERIES WARM ROUNDS OPERATION...");
            System.exit(2);
        }
        List<String> ids = new ArrayList<>();
        List<String[]> words = new ArrayList<>();
        read(args[1], ids, words);
        double warm = Double.parseDouble(args[2]);
        int rounds = Integer.parseInt(args[3]);
        String[] operations = Arrays.copyOfRange(args, 4, args.length);
        int n = ids.size();
        long[][] best = new long[operations.length][n];
        long[][] totals = new long[operations.length][n];
        for (long[] row : best) {
            Arrays.fill(row, Long.MAX_VALUE);
        }
        try (MMapDirectory dir = new MMapDirectory(Paths.get(args[0]));
             DirectoryReader reader = DirectoryReader.open(dir)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            searcher.setQueryCache(null);
            ThreadMXBean clock = ManagementFactory.getThreadMXBean();
            long end = clock.getCurrentThreadCpuTime() + (long) (warm * 1e9 * operations.length);
            while (clock.getCurrentThreadCpuTime() < end) {
                round(searcher, operations, words, 0, false, best, totals);
            }
            for (int round = 0; round < rounds; round++) {
                round(searcher, operations, words, (int) ((long) round * n / rounds), true, best, totals);
            }
        }
        print(operations, ids, best, totals);
    }
}

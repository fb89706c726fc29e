// QueryPeer.java: Lucene 8 as a peer of the searcher: queries in, nanoseconds and match totals out.
// Usage: QueryPeer DIR QUERIES ROUNDS OPERATION...
// QUERIES: lines "qid<TAB>words"; words are terms of field x as they are. OPERATION: and:K, or:K (the K
// best, BM25 with k1 1.2 and b 0.75), and:count, or:count, phrase:K. Out: lines
// "operation<TAB>qid<TAB>nanoseconds<TAB>total"; the time is the best of ROUNDS, which alternate over
// the operations after one round that is not counted. A total of the K best is a lower bound in Lucene: -1.
// Kindest settings: one segment, no query cache, the threshold of counted hits is K, so that pruning
// begins as soon as it can.

import java.io.BufferedReader;
import java.io.IOException;
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

    public static void main(String[] args) throws IOException {
        if (args.length < 4) {
            System.err.println("usage: QueryPeer DIR QUERIES ROUNDS OPERATION...");
            System.exit(2);
        }
        List<String> ids = new ArrayList<>();
        List<String[]> words = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(Paths.get(args[1]), StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int tab = line.indexOf('\t');
                ids.add(line.substring(0, tab));
                words.add(line.substring(tab + 1).split(" "));
            }
        }
        int rounds = Integer.parseInt(args[2]);
        String[] operations = Arrays.copyOfRange(args, 3, args.length);
        int n = ids.size();
        long[][] best = new long[operations.length][n];
        long[][] totals = new long[operations.length][n];
        BooleanQuery.setMaxClauseCount(1024);
        try (MMapDirectory dir = new MMapDirectory(Paths.get(args[0]));
             DirectoryReader reader = DirectoryReader.open(dir)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            searcher.setQueryCache(null);
            for (int round = 0; round <= rounds; round++) {
                for (int o = 0; o < operations.length; o++) {
                    String[] parts = operations[o].split(":");
                    int k = parts[1].equals("count") ? COUNT : Integer.parseInt(parts[1]);
                    for (int i = 0; i < n; i++) {
                        long begin = System.nanoTime();
                        long total = total(searcher, query(parts[0], words.get(i)), k);
                        long time = System.nanoTime() - begin;
                        if (round == 1 || (round > 1 && time < best[o][i])) {
                            best[o][i] = time;
                        }
                        totals[o][i] = k == COUNT ? total : -1;
                    }
                }
            }
        }
        StringBuilder out = new StringBuilder();
        for (int o = 0; o < operations.length; o++) {
            for (int i = 0; i < n; i++) {
                out.append(operations[o]).append('\t').append(ids.get(i)).append('\t')
                    .append(best[o][i]).append('\t').append(totals[o][i]).append('\n');
            }
        }
        System.out.print(out);
    }
}

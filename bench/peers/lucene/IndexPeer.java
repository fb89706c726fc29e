// IndexPeer.java: Lucene 8 as a peer of the indexer: token file in, Lucene index out.
// Usage: IndexPeer TOKENS DIR [--force-merge] [--ram-mb N] [--count] [--no-positions] [--freqs].
// Equal work: one thread, positions, frequencies and norms are kept, no text is; external ids are
// kept as stored fields. Kindest settings: document and field objects are used again, merges run in
// the writing thread, no compound files, a RAM buffer as large as the memory given to Riposte.
// --freqs: a token is word|frequency (bench/pisa_tokens.py); then positions cannot be kept.
// --count reads terms and tokens back after the timing, to show that the work was the same.

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.analysis.miscellaneous.DelimitedTermFrequencyTokenFilter;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Terms;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.Version;

public final class IndexPeer {
    private static boolean forceMerge = false;
    private static boolean count = false;
    private static boolean positions = true;
    private static boolean freqs = false;
    private static double ramMb = 1024;

    private static boolean parse(String[] args) {
        for (int i = 2; i < args.length; i++) {
            switch (args[i]) {
                case "--force-merge": forceMerge = true; break;
                case "--count": count = true; break;
                case "--no-positions": positions = false; break;
                case "--freqs": freqs = true; positions = false; break;
                case "--ram-mb": ramMb = Double.parseDouble(args[++i]); break;
                default: return false;
            }
        }
        return args.length >= 2;
    }

    private static Analyzer analyzer() {
        if (!freqs) {
            return new WhitespaceAnalyzer();
        }
        return new Analyzer() {
            @Override
            protected TokenStreamComponents createComponents(String field) {
                WhitespaceTokenizer words = new WhitespaceTokenizer();
                return new TokenStreamComponents(words, new DelimitedTermFrequencyTokenFilter(words));
            }
        };
    }

    private static IndexWriterConfig config() {
        IndexWriterConfig config = new IndexWriterConfig(analyzer());
        config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
        config.setMergeScheduler(new SerialMergeScheduler());
        config.setRAMBufferSizeMB(ramMb);
        config.setUseCompoundFile(false);
        return config;
    }

    private static FieldType textType() {
        FieldType type = new FieldType();
        type.setIndexOptions(positions ? IndexOptions.DOCS_AND_FREQS_AND_POSITIONS
            : IndexOptions.DOCS_AND_FREQS);
        type.setTokenized(true);
        type.setStored(false);
        type.freeze();
        return type;
    }

    private static int fill(IndexWriter writer, String tokens) throws IOException {
        Field id = new StoredField("id", "");
        Field text = new Field("x", "", textType());
        Document document = new Document();
        document.add(id);
        document.add(text);
        int docs = 0;
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(new FileInputStream(tokens), StandardCharsets.UTF_8), 1 << 20)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int tab = line.indexOf('\t');
                id.setStringValue(line.substring(0, tab));
                text.setStringValue(line.substring(tab + 1));
                writer.addDocument(document);
                docs++;
            }
        }
        return docs;
    }

    private static void printCounts(Directory dir) throws IOException {
        try (DirectoryReader reader = DirectoryReader.open(dir)) {
            for (LeafReaderContext leaf : reader.leaves()) {
                Terms terms = leaf.reader().terms("x");
                System.out.printf(Locale.ROOT, "lucene segment terms=%d postings=%d tokens=%d%n",
                    terms.size(), terms.getSumDocFreq(), terms.getSumTotalTermFreq());
            }
        }
    }

    public static void main(String[] args) throws IOException {
        if (!parse(args)) {
            System.err.println("usage: IndexPeer TOKENS DIR [--force-merge] [--ram-mb N] [--count] [--no-positions]"
                + " [--freqs]");
            System.exit(2);
        }
        Path path = Paths.get(args[1]);
        Files.createDirectories(path);
        long begin = System.nanoTime();
        try (Directory dir = new MMapDirectory(path)) {
            int docs;
            int segments;
            try (IndexWriter writer = new IndexWriter(dir, config())) {
                docs = fill(writer, args[0]);
                if (forceMerge) {
                    writer.forceMerge(1);
                }
                writer.commit();
            }
            double wall = (System.nanoTime() - begin) * 1e-9;
            double cpu = ((com.sun.management.OperatingSystemMXBean)
                ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() * 1e-9;
            double thread = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() * 1e-9;
            try (DirectoryReader reader = DirectoryReader.open(dir)) {
                segments = reader.leaves().size();
            }
            System.out.printf(Locale.ROOT,
                "lucene %s docs=%d segments=%d wall=%.3f cpu=%.3f thread=%.3f"
                    + " docs/s wall=%.0f cpu=%.0f thread=%.0f%n", Version.LATEST, docs, segments, wall,
                cpu, thread, docs / wall, docs / cpu, docs / thread);
            if (count) {
                printCounts(dir);
            }
        }
    }
}

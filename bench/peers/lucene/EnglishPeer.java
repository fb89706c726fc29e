// EnglishPeer.java: Lucene 8 as a peer in effectiveness: a collection and its topics in, a TREC run out.
// Usage: EnglishPeer DOCS.jsonl TOPICS.tsv K1 B >RUN.
// EnglishAnalyzer as it comes: UAX #29 words, possessives dropped, lower case, 33 stop words, Porter.
// Title and text are one field; a query is the OR of its words; 1,000 hits a topic.

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.QueryBuilder;

public final class EnglishPeer {
    private static final int DEPTH = 1000;

    private static BufferedReader open(String path) throws IOException {
        return new BufferedReader(
                new InputStreamReader(new FileInputStream(path), StandardCharsets.UTF_8));
    }

    private static char escape(char c) {
        switch (c) {
            case 'n': return '\n';
            case 't': return '\t';
            case 'r': return '\r';
            case 'b': return '\b';
            case 'f': return '\f';
            default: return c;
        }
    }

    // The string that begins behind the quote at `at`, into `out`; returns where the text goes on.
    private static int readString(String line, int at, StringBuilder out) {
        out.setLength(0);
        for (at++; line.charAt(at) != '"'; at++) {
            char c = line.charAt(at);
            if (c != '\\') {
                out.append(c);
            } else if (line.charAt(++at) == 'u') {
                out.append((char) Integer.parseInt(line.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                out.append(escape(line.charAt(at)));
            }
        }
        return at + 1;
    }

    // An object of strings, which is all that these collections have.
    private static Map<String, String> readObject(String line) {
        Map<String, String> object = new HashMap<>();
        StringBuilder text = new StringBuilder();
        for (int at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at)) {
            at = readString(line, at, text);
            String name = text.toString();
            at = readString(line, line.indexOf('"', at), text);
            object.put(name, text.toString());
        }
        return object;
    }

    private static void index(Directory directory, Analyzer analyzer, BM25Similarity similarity,
            String path) throws IOException {
        IndexWriterConfig config = new IndexWriterConfig(analyzer).setSimilarity(similarity);
        try (IndexWriter writer = new IndexWriter(directory, config); BufferedReader in = open(path)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Map<String, String> object = readObject(line);
                Document document = new Document();
                document.add(new StoredField("id", object.get("id")));
                document.add(new TextField("text",
                        object.getOrDefault("title", "") + "\n" + object.getOrDefault("text", ""),
                        Field.Store.NO));
                writer.addDocument(document);
            }
        }
    }

    private static void answer(IndexSearcher searcher, QueryBuilder builder, String line,
            PrintWriter out) throws IOException {
        int tab = line.indexOf('\t');
        Query query = builder.createBooleanQuery("text", line.substring(tab + 1));
        if (query == null) {
            return;
        }
        int rank = 0;
        for (ScoreDoc hit : searcher.search(query, DEPTH).scoreDocs) {
            out.printf(Locale.ROOT, "%s Q0 %s %d %.7f lucene%n", line.substring(0, tab),
                    searcher.doc(hit.doc).get("id"), ++rank, hit.score);
        }
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 4) {
            System.err.println("usage: EnglishPeer DOCS.jsonl TOPICS.tsv K1 B");
            System.exit(2);
        }
        Analyzer analyzer = new EnglishAnalyzer();
        BM25Similarity similarity =
                new BM25Similarity(Float.parseFloat(args[2]), Float.parseFloat(args[3]));
        Directory directory = new ByteBuffersDirectory();
        index(directory, analyzer, similarity, args[0]);
        try (DirectoryReader reader = DirectoryReader.open(directory);
                BufferedReader in = open(args[1]);
                PrintWriter out = new PrintWriter(new BufferedWriter(
                        new OutputStreamWriter(System.out, StandardCharsets.UTF_8)))) {
            IndexSearcher searcher = new IndexSearcher(reader);
            searcher.setSimilarity(similarity);
            QueryBuilder builder = new QueryBuilder(analyzer);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                answer(searcher, builder, line, out);
            }
        }
    }
}

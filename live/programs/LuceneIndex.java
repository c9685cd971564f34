import java.util.SplittableRandom;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.store.ByteBuffersDirectory;

/** A search engine in memory, of Maven Central (org.apache.lucene:lucene-core): texts are indexed, merged in threads of its own, and searched. */
public class LuceneIndex {
	public static void main(String[] args) throws Exception {
		int texts = Integer.parseInt(args[0]);
		SplittableRandom random = new SplittableRandom(1);
		try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
			IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer()).setMaxBufferedDocs(1000).setRAMBufferSizeMB(IndexWriterConfig.DISABLE_AUTO_FLUSH);
			try (IndexWriter writer = new IndexWriter(directory, config)) {
				for (int i = 0; i < texts; i++) {
					StringBuilder text = new StringBuilder();
					for (int k = 0; k < 60; k++) {
						text.append('w').append(random.nextInt(1 + random.nextInt(20000))).append(' ');
					}
					Document document = new Document();
					document.add(new TextField("text", text.toString(), Field.Store.YES));
					writer.addDocument(document);
				}
			}
			long found = 0;
			try (DirectoryReader reader = DirectoryReader.open(directory)) {
				IndexSearcher searcher = new IndexSearcher(reader);
				for (int i = 0; i < 3000; i++) {
					Query query = new BooleanQuery.Builder()
						.add(new TermQuery(new Term("text", "w" + i)), BooleanClause.Occur.SHOULD)
						.add(new TermQuery(new Term("text", "w" + i % 50)), BooleanClause.Occur.MUST)
						.build();
					found += searcher.search(query, 10).scoreDocs.length;
				}
			}
			System.out.println(found);
		}
	}
}

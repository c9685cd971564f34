import java.util.Random;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;

/** A fixed amount of work for the compilers: an index of so many documents of 120 words. */
public class LuceneIndex {
	public static void main(String[] args) throws Exception {
		int documents = Integer.parseInt(args[0]);
		Random random = new Random(42);
		String[] words = new String[20_000];
		for (int i = 0; i < words.length; i++) {
			StringBuilder word = new StringBuilder();
			for (int left = 3 + random.nextInt(9); left > 0; left--) {
				word.append((char) ('a' + random.nextInt(26)));
			}
			words[i] = word.toString();
		}
		try (Directory directory = new ByteBuffersDirectory();
				IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new EnglishAnalyzer()))) {
			for (int i = 0; i < documents; i++) {
				StringBuilder body = new StringBuilder();
				for (int j = 0; j < 120; j++) {
					body.append(words[Math.abs((int) (random.nextGaussian() * 5000)) % words.length]).append(' ');
				}
				Document document = new Document();
				document.add(new StringField("id", Integer.toString(i), Field.Store.YES));
				document.add(new TextField("body", body.toString(), Field.Store.NO));
				writer.addDocument(document);
			}
			writer.commit();
		}
	}
}

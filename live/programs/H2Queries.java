import java.sql.*;

/** A database in memory, of Maven Central (com.h2database:h2): rows are inserted and summed up. */
public class H2Queries {
	public static void main(String[] args) throws Exception {
		int rows = Integer.parseInt(args[0]);
		try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:x"); Statement statement = connection.createStatement()) {
			statement.execute("create table t(id int primary key, name varchar, v double)");
			PreparedStatement insert = connection.prepareStatement("insert into t values(?,?,?)");
			for (int i = 0; i < rows; i++) {
				insert.setInt(1, i);
				insert.setString(2, "n" + i % 1000);
				insert.setDouble(3, i * 0.5);
				insert.executeUpdate();
			}
			double sum = 0;
			for (int k = 0; k < 6; k++) {
				ResultSet result = statement.executeQuery("select name, sum(v), count(*) from t where id % 7 <> " + k + " group by name order by 2 desc");
				while (result.next()) {
					sum += result.getDouble(2);
				}
			}
			System.out.println(sum);
		}
	}
}

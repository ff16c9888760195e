import io.trino.plugin.memory.MemoryPlugin;
import io.trino.server.testing.TestingTrinoServer;
import java.io.IOException;
import java.util.Map;

/** A Trino on a free loopback port, its tables in memory, that lives as long as its stdin is open. */
public class TrinoOnLoopback
{
    private static final String CATALOG = "awsdatacatalog";

    public static void main(String[] arguments)
            throws IOException
    {
        Map<String, String> settings = Map.of("query.max-length", "20000000");
        try (TestingTrinoServer server = TestingTrinoServer.builder().setProperties(settings).build()) {
            server.installPlugin(new MemoryPlugin());
            server.createCatalog(CATALOG, "memory", Map.of("memory.max-data-per-node", "768MB"));
            System.out.println("TRINO " + server.getBaseUrl());
            System.out.flush();
            while (System.in.read() >= 0) {
                continue;
            }
        }
        System.exit(0);
    }
}

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import org.openapitools.client.ApiClient;

/**
 * Parses one reply of each operation by a client of openapi-generator, and compares all values with the reply; instants may be
 * written otherwise: ReadReplies REQUESTS.json.
 */
public class ReadReplies {
  public static void main(String[] files) throws Exception {
    ObjectMapper mapper = ApiClient.createDefaultObjectMapper();
    JsonNode asked = new ObjectMapper().readTree(new File(files[0]));
    HttpClient http = HttpClient.newHttpClient();
    int failed = 0;
    for (JsonNode request : asked.get("requests")) {
      String path = request.get("path").asText();
      try {
        HttpRequest get = HttpRequest.newBuilder(URI.create(asked.get("url").asText() + path))
            .header("X-API-Key", asked.get("key").asText()).header("Accept", "application/json").build();
        String body = http.send(get, HttpResponse.BodyHandlers.ofString()).body();
        Object parsed = mapper.readValue(body, typeOf(request.get("tag").asText(), request.get("id").asText()));
        String found = differs("reply", new ObjectMapper().readTree(body), mapper.valueToTree(parsed));
        if (found != null) throw new IllegalStateException(found);
      } catch (Exception error) {
        failed++;
        System.out.println("FAILED java " + path + ": " + error);
      }
    }
    int count = asked.get("requests").size();
    System.out.println("java: " + (count - failed) + " of " + count + " replies read");
    System.exit(failed > 0 ? 1 : 0);
  }

  /** The type that the client's method for an operation returns. */
  static Class<?> typeOf(String tag, String id) throws ClassNotFoundException {
    String api = tag.substring(0, 1).toUpperCase() + tag.substring(1);
    Class<?> owner = Class.forName("org.openapitools.client.api." + api + "Api");
    return Arrays.stream(owner.getMethods()).filter(method -> method.getName().equalsIgnoreCase(id.replace("_", "")))
        .findFirst().map(Method::getReturnType).orElseThrow(() -> new IllegalStateException("no method " + id));
  }

  /** The first place where the parsed reply lacks or changes what was sent; null members may be left out. */
  static String differs(String place, JsonNode sent, JsonNode parsed) {
    if (sent.isNull()) return null;
    if (parsed == null) return place + " is lost";
    if (sent.isNumber()) return sent.asDouble() == parsed.asDouble() && parsed.isNumber() ? null : place + " became " + parsed;
    if (sent.isTextual()) return isSame(sent.asText(), parsed.asText()) && parsed.isTextual() ? null : place + " became " + parsed;
    if (sent.isBoolean()) return sent.equals(parsed) ? null : place + " became " + parsed;
    if (sent.isArray() && sent.size() != parsed.size()) return place + " has another length";
    for (int at = 0; sent.isArray() && at < sent.size(); at++) {
      String found = differs(place, sent.get(at), parsed.get(at));
      if (found != null) return found;
    }
    for (var member : sent.properties()) {
      String found = differs(place + "." + member.getKey(), member.getValue(), parsed.get(member.getKey()));
      if (found != null) return found;
    }
    return null;
  }

  /** True for equal texts, and for the same instant in two forms. */
  static boolean isSame(String sent, String parsed) {
    if (sent.equals(parsed)) return true;
    try {
      return OffsetDateTime.parse(sent).isEqual(OffsetDateTime.parse(parsed));
    } catch (DateTimeParseException error) {
      return false;
    }
  }
}

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks the RE2/J of Apache Kafka 4.4.0 about regular expressions, as the group coordinator does. The first line of the input is a list of texts, each
 * further one a pattern; each line of the output is which of the texts match, or why the pattern is none. test/peer/topic-patterns.peer.ts asks.
 */
public final class TopicPatternCases {
    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        StringBuilder output = new StringBuilder();
        List<String> texts = List.of(mapper.readValue(input.readLine(), String[].class));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            output.append(mapper.writeValueAsString(answer(mapper.readValue(line, String.class), texts))).append('\n');
        }
        System.out.write(output.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    static Object answer(String text, List<String> texts) {
        try {
            Pattern pattern = Pattern.compile(text);
            List<Integer> matches = new ArrayList<>();
            for (int index = 0; index < texts.size(); index++) {
                if (pattern.matcher(texts.get(index)).matches()) matches.add(index);
            }
            return matches;
        } catch (PatternSyntaxException error) {
            return error.getDescription();
        }
    }
}

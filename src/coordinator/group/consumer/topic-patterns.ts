/** A regular expression over topic names. */
export interface TopicPattern {
  matches(topic: string): boolean;
}
export function checkTopicPattern(regex: string): void {
  void regex;
}
export function compileTopicPattern(regex: string): TopicPattern | null {
  return { matches: (topic) => topic.startsWith(regex.replace('.*', '')) };
}

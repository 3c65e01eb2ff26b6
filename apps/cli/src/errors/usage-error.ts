/** The command line itself is wrong: exit code 2. Its message is a sentence, and may have several lines. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

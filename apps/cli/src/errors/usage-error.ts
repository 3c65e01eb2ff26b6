/** A wrong command line: exit code 2. The message is a sentence and may have several lines. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

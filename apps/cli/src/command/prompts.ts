/** Questions to a person. On a machine without one, `isInteractive` is false and none may be asked. */
export interface Prompts {
  readonly isInteractive: boolean;
  /** @throws Interrupted when the person leaves the question; so do the others. */
  text(question: string, options?: { readonly initial?: string }): Promise<string>;
  /** A line as a shell asks for it; undefined at the end of input. */
  line(prompt: string): Promise<string | undefined>;
  /** The answer is not shown. */
  secret(question: string): Promise<string>;
  confirm(question: string): Promise<boolean>;
}

/**
 * `unauthorized`: the server wants another credential; `scope`: one with more rights; `refused`: it answered the request
 * with an error of the protocol's; `failed`: it can't be reached, or isn't one.
 */
export type McpFault = 'unauthorized' | 'scope' | 'refused' | 'failed';

/** What went wrong with an MCP server, in a sentence that goes after its name: "answered 500". */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly fault: McpFault;
  /** Rights that the server says it wants, of `scope`. */
  readonly scopes: readonly string[];

  constructor(fault: McpFault, message: string, options: ErrorOptions & { readonly scopes?: readonly string[] } = {}) {
    super(message, options);
    this.fault = fault;
    this.scopes = options.scopes ?? [];
  }
}

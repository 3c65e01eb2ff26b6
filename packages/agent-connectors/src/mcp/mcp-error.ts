/**
 * The kind of an MCP failure. `unauthorized`: the server rejects the credential; `scope`: the credential lacks scopes;
 * `refused`: the server answered with a protocol error; `failed`: the server can't be reached, or isn't an MCP server.
 */
export type McpFault = 'unauthorized' | 'scope' | 'refused' | 'failed';

/** A failure of an MCP server. The message completes a sentence that begins with the server's name: "answered 500". */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly fault: McpFault;
  /** Scopes that the server requires, for the fault `scope`. */
  readonly scopes: readonly string[];

  constructor(fault: McpFault, message: string, options: ErrorOptions & { readonly scopes?: readonly string[] } = {}) {
    super(message, options);
    this.fault = fault;
    this.scopes = options.scopes ?? [];
  }
}

/** The limits of the platform's MCP server. */
export const MCP_LIMITS = {
  /** Bytes of a request: the files of a deploy in base64, with room for the rest. */
  requestBytes: 16 * 2 ** 20,
  /** Files of `deploy_files`. */
  files: 500,
  /** Bytes of all files of `deploy_files` together. */
  filesBytes: 10 * 2 ** 20,
  /** Bytes of an object that `read_object` returns or `write_object` takes. */
  objectBytes: 2 ** 20,
  /** Rows of `run_sql`. */
  sqlRows: 1_000,
  /** Characters of a log message; longer ones are cut. */
  messageCharacters: 4_000,
  /** Characters of a result; log entries and rows beyond are left out. */
  resultCharacters: 400_000,
  /** Seconds that a tool waits for a deploy. */
  waitSeconds: 600,
  /** Lines of build and service output in the result of a deploy. */
  outputLines: 60,
  /** Interval of comments on a stream without messages. */
  keepAliveMs: 15_000,
} as const;

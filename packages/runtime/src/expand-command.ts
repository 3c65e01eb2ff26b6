const REFERENCE = /\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g;

/**
 * Fills in a command's references to its environment: `$NAME` and `${NAME}` become the variable's value (empty when it
 * is not set), `$$` becomes one `$`; any other `$` stands for itself. A value never makes a new element and is never read again.
 */
export function expandCommand(command: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] {
  return command.map((element) =>
    element.replace(REFERENCE, (whole, bare?: string, braced?: string) =>
      whole === '$$' ? '$' : readVariable(env, bare ?? braced ?? ''),
    ),
  );
}

/** Only the environment's own: every object has a `constructor`. */
function readVariable(env: Readonly<Record<string, string | undefined>>, name: string): string {
  return Object.hasOwn(env, name) ? (env[name] ?? '') : '';
}

/** The element that {@link expandCommand} turns into `text`, whatever `text` holds. */
export function escapeElement(text: string): string {
  return text.replaceAll('$', '$$$$');
}

const REFERENCE = /\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g;

/** A piece of a command's element: text as it is, or the value of a variable. */
export type ElementPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string };

/** Takes an element apart: `$NAME` and `${NAME}` are variables, `$$` is one `$`, any other `$` stands for itself. */
export function splitElement(element: string): ElementPart[] {
  const parts: ElementPart[] = [];
  let text = '';
  let end = 0;
  for (const match of element.matchAll(REFERENCE)) {
    text += element.slice(end, match.index);
    end = match.index + match[0].length;
    const name = match[1] ?? match[2];
    if (name === undefined) {
      text += '$';
      continue;
    }
    if (text !== '') parts.push({ kind: 'text', text });
    parts.push({ kind: 'variable', name });
    text = '';
  }
  text += element.slice(end);
  if (text !== '') parts.push({ kind: 'text', text });
  return parts;
}

/**
 * Fills in a command's references to its environment (see {@link splitElement}); a variable that is not set is empty. A value
 * never makes a new element and is never read again.
 */
export function expandCommand(command: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] {
  return command.map((element) =>
    splitElement(element)
      .map((part) => (part.kind === 'text' ? part.text : readVariable(env, part.name)))
      .join(''),
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

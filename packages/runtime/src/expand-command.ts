const REFERENCE = /\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g;

/** A part of a command element: literal text, or a reference to a variable. */
export type ElementPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string };

/** Splits an element into parts: `$NAME` and `${NAME}` are variables, `$$` is one `$`, and any other `$` is literal. */
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
 * Replaces a command's references to environment variables by their values (see {@link splitElement}). A variable that isn't set is
 * empty. A value never becomes several elements, and references inside a value aren't expanded.
 */
export function expandCommand(command: readonly string[], env: Readonly<Record<string, string | undefined>>): string[] {
  return command.map((element) =>
    splitElement(element)
      .map((part) => (part.kind === 'text' ? part.text : readVariable(env, part.name)))
      .join(''),
  );
}

/** Reads own properties only, because every object inherits a `constructor`. */
function readVariable(env: Readonly<Record<string, string | undefined>>, name: string): string {
  return Object.hasOwn(env, name) ? (env[name] ?? '') : '';
}

/** Returns the element that {@link expandCommand} turns into `text`. */
export function escapeElement(text: string): string {
  return text.replaceAll('$', '$$$$');
}

// A plugin of Stryker: mutants that only change words for people (log lines, messages of errors) aren't made. Tests compare codes.

/** A node of Babel's tree, as far as it is looked at. */
interface Node {
  readonly type: string;
  readonly callee?: Node;
  readonly name?: string;
  readonly object?: Node;
  readonly property?: Node;
  readonly arguments?: readonly Node[];
}

/** Position of the words among the arguments of a call; undefined where no argument is words. */
function wordsAt({ callee }: Node): number | undefined {
  if (callee?.type === 'Identifier') return { createError: 1, runInBackground: 0 }[callee.name ?? ''];
  const isLogger = /^(?:.*[lL]ogger|log)$/.test(callee?.object?.name ?? callee?.object?.property?.name ?? '');
  return isLogger && /^(?:debug|info|warn|error)$/.test(callee?.property?.name ?? '') ? 1 : undefined;
}

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'words',
    value: {
      shouldIgnore({ node, parent }: { readonly node: Node; readonly parent?: Node | null }): string | undefined {
        if (parent?.type !== 'CallExpression') return undefined;
        const index = wordsAt(parent);
        return index !== undefined && parent.arguments?.[index] === node ? 'words for people' : undefined;
      },
    },
  },
];

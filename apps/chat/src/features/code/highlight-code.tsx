import { common, createLowlight } from 'lowlight';
import type { ReactNode } from 'react';

const lowlight = createLowlight(common);

type Tree = ReturnType<typeof lowlight.highlight>;
type TreeNode = Tree['children'][number];

/** Returns highlighted code, or undefined for an unknown language. Imported on demand, because the highlighter is large. */
export function highlightCode(code: string, language: string): ReactNode {
  if (!lowlight.registered(language)) return undefined;
  return lowlight.highlight(language, code).children.map(show);
}

function show(node: TreeNode, index: number): ReactNode {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return undefined;
  const { className } = node.properties;
  return (
    <span key={index} className={Array.isArray(className) ? className.join(' ') : undefined}>
      {node.children.map(show)}
    </span>
  );
}

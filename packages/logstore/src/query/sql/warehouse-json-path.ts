import { constantValue, type SqlNode, textConstant } from './sql-tree.ts';
import { untranslatable } from './untranslatable.ts';

/** A step of a JSONPath. Source: GoogleSQL, JSON functions, "JSONPath format". */
const STEP = /\.(?:"((?:[^"\\]|\\.)*)"|([^.["\]']+))|\[(?:(\d+)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y;

/**
 * Returns a JSON path of the warehouse in DuckDB's form: every name in quotes. Without a path it is the whole value.
 * @throws Untranslatable when the path is not a constant, or has a step that names more than one place.
 */
export function jsonPath(node: unknown): SqlNode {
  if (node === undefined) return textConstant('$');
  const text = constantValue(node);
  if (typeof text !== 'string') throw untranslatable('A JSON path must be a text constant.', node);
  const path = text.replace(/^(?:lax |strict )/, '');
  if (path === text && text.startsWith('$')) {
    let engine = '$';
    let place = 1;
    while (place < text.length) {
      STEP.lastIndex = place;
      const step = STEP.exec(text);
      if (!step) break;
      const [whole, quoted, plain, index, single, double] = step;
      const name = quoted ?? plain ?? single ?? double ?? '';
      if (plain === '*' || plain === '**') break;
      engine += index === undefined ? `."${name.replaceAll("\\'", "'").replaceAll(/(?<!\\)"/g, '\\"')}"` : `[${index}]`;
      place += whole.length;
    }
    if (place === text.length) return textConstant(engine);
  }
  throw untranslatable(
    `${JSON.stringify(text.slice(0, 100))} is not a JSON path such as $.user.id or $.items[0].`,
    node,
  );
}

import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type PrimitiveValueListNode,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
  type ValueNode,
} from 'kysely';

/** Replaces NUL characters in texts with U+FFFD. */
class NulReplacer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...super.transformValue(node), value: replaceNul(node.value) };
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...super.transformPrimitiveValueList(node), values: node.values.map(replaceNul) };
  }
}

/**
 * Creates a Kysely plugin that replaces NUL characters. Postgres rejects them in texts and SQLite doesn't; a NUL from a
 * user or a model must not fail a turn. Source: the PostgreSQL manual, 8.3 "Character Types".
 */
export function noNulPlugin(): KyselyPlugin {
  const replacer = new NulReplacer();
  return {
    transformQuery: ({ node }: PluginTransformQueryArgs): RootOperationNode => replacer.transformNode(node),
    transformResult: async ({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> => result,
  };
}

function replaceNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value;
}

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

/** Puts the replacement character where a text has a NUL. */
class NulReplacer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...super.transformValue(node), value: replaceNul(node.value) };
  }

  protected override transformPrimitiveValueList(node: PrimitiveValueListNode): PrimitiveValueListNode {
    return { ...super.transformPrimitiveValueList(node), values: node.values.map(replaceNul) };
  }
}

/**
 * Postgres takes no NUL in a text and SQLite does: a person or a model that writes one must not make a turn fail.
 * Source: the PostgreSQL manual, 8.3 "Character Types".
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

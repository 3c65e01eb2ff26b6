import {
  DataTypeNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  RawNode,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely';

/** Gives columns the types that hold and compare what those of SQLite do. */
class ColumnTyper extends OperationNodeTransformer {
  protected override transformDataType(node: DataTypeNode): DataTypeNode {
    if (node.dataType === 'integer') return DataTypeNode.create('bigint');
    // A collation belongs to the column, and Kysely has no node for it.
    return node.dataType === 'text' ? (RawNode.createWithSql('text collate "C"') as unknown as DataTypeNode) : node;
  }
}

/**
 * Creates a Kysely plugin for migrations that both databases share. Columns of text compare by their bytes, as in SQLite and in
 * JavaScript, and not by the rules of the database's language: pages of a list continue after a text, and prefixes use indexes. Integers
 * have 64 bits, as in SQLite.
 */
export function columnTypesPlugin(): KyselyPlugin {
  const typer = new ColumnTyper();
  return {
    transformQuery: ({ node }: PluginTransformQueryArgs): RootOperationNode => typer.transformNode(node),
    transformResult: async ({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> => result,
  };
}

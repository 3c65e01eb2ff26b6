import { createSilentLogger } from '@berth/kit';
import { CompiledQuery, type KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { openAgentDatabase } from '../database/open-agent-database.ts';
import { ownerKey } from '../ports/owner-key.ts';
import { createSqlStores } from './create-sql-stores.ts';

const ANN = ownerKey({ id: 'ann' });
const PAGE = 101;

/** Stores with more chats than a page has, all of which contain one word, and the statements that they execute. */
async function open() {
  const database = await openAgentDatabase({ place: 'memory', logger: createSilentLogger() });
  const statements: CompiledQuery[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.push(database.db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const stores = createSqlStores({ ...database, db: database.db.withPlugin(recorder) });
  for (let index = 0; index < PAGE + 20; index++) {
    const content = `The tide of day ${index}`;
    await stores.chats.create(ANN, { id: `c${index}`, title: 't' }, [{ role: 'user', content }], index);
  }
  return {
    async list(query?: string) {
      statements.length = 0;
      const chats = await stores.chats.list(ANN, { limit: PAGE, ...(query && { query }) });
      return { chats, executed: [...statements] };
    },
    /** Returns the plan of a statement, one step a line. */
    async planOf({ sql, parameters }: CompiledQuery) {
      const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await database.db.executeQuery<{ readonly detail: string }>(explain);
      return rows.map(({ detail }) => detail).join('\n');
    },
    [Symbol.asyncDispose]: () => stores.close(),
  };
}

/** Fails when the list reads and sorts all chats of a person, of whom it shows a page. */
test('the list reads a page from the index, in its order', async () => {
  await using store = await open();
  const { chats, executed } = await store.list();
  expect(chats).toHaveLength(PAGE);
  expect(executed).toHaveLength(1);
  const plan = await store.planOf(executed[0] as CompiledQuery);
  expect(plan).toContain('SEARCH chats USING INDEX chats_newest');
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});

/** Fails when the messages with a common word are found anew for each part of a page. */
test('a search finds the messages with its words once, and reads those of the page by key', async () => {
  await using store = await open();
  const { chats, executed } = await store.list('tide');
  expect(chats).toHaveLength(PAGE);
  expect(chats.every(({ match }) => match)).toBe(true);
  const searches = executed.filter(({ sql }) => sql.includes('search_tokens match'));
  expect(searches).toHaveLength(1);
  const plan = await store.planOf(searches[0] as CompiledQuery);
  expect(plan).toContain('SCAN search_tokens VIRTUAL TABLE');
  expect(plan).toContain('SEARCH chats USING INDEX chats_newest');
  expect(plan).not.toContain('TEMP B-TREE FOR ORDER BY');
  for (const one of executed.filter(({ sql }) => sql.includes('from "messages"'))) {
    expect(await store.planOf(one)).not.toContain('SCAN messages');
  }
});

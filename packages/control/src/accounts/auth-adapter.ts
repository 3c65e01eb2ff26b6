import type { Database } from '@berth/database';
import { type AdapterFactory, type CleanedWhere, createAdapterFactory } from 'better-auth/adapters';
import type { BetterAuthOptions } from 'better-auth/types';
import type { ExpressionBuilder, Kysely } from 'kysely';
import { hashSecret } from './key-secret.ts';

/** A row of any table, under the names of its columns. */
type Row = Record<string, unknown>;
type AnySchema = Record<string, Row>;

/** The operators that better-auth's e-mail and session code uses. */
const OPERATORS = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=', in: 'in', not_in: 'not in' } as const;

/** The column that holds a bearer token. */
const SESSIONS_TABLE = 'auth_sessions';

/**
 * How better-auth reads and writes our tables: through the one Kysely handle, with times as epoch milliseconds, and with
 * session tokens stored as their SHA-256 only. It gets back a token only where it named the token itself.
 */
export function createAuthAdapter(database: Kysely<Database>): AdapterFactory<BetterAuthOptions> {
  const db = database as unknown as Kysely<AnySchema>;
  return createAdapterFactory<BetterAuthOptions>({
    config: {
      adapterId: 'berth',
      supportsBooleans: false,
      supportsNumericIds: false,
      // Its steps are single statements as far as we use it; a user with an account is made by our own transaction.
      transaction: false,
      customTransformInput: ({ data }) => (data instanceof Date ? data.getTime() : data),
      customTransformOutput: ({ data, fieldAttributes }) =>
        fieldAttributes.type === 'date' && typeof data === 'number' ? new Date(data) : data,
    },
    adapter: () => ({
      async create({ model, data }) {
        await db.insertInto(model).values(withHashedToken(model, data)).execute();
        return data;
      },
      async findOne<T>({ model, where }: { model: string; where: readonly CleanedWhere[] }) {
        const row = await db.selectFrom(model).selectAll().where(matching(model, where)).executeTakeFirst();
        return (row ? withNamedToken(model, row, where) : null) as T | null;
      },
      async findMany<T>({ model, where = [], limit, offset = 0, sortBy }: FindMany) {
        let query = db.selectFrom(model).selectAll().where(matching(model, where)).limit(limit).offset(offset);
        if (sortBy) query = query.orderBy(sortBy.field, sortBy.direction);
        return (await query.execute()) as T[];
      },
      async count({ model, where = [] }) {
        const query = db.selectFrom(model).select((eb) => eb.fn.countAll<number>().as('count'));
        return Number((await query.where(matching(model, where)).executeTakeFirstOrThrow()).count);
      },
      async update<T>({ model, where, update }: { model: string; where: readonly CleanedWhere[]; update: T }) {
        const query = db
          .updateTable(model)
          .set(update as Row)
          .where(matching(model, where));
        const row = await query.returningAll().executeTakeFirst();
        return (row ? withNamedToken(model, row, where) : null) as T | null;
      },
      async updateMany({ model, where, update }) {
        const query = db.updateTable(model).set(update).where(matching(model, where));
        return Number((await query.executeTakeFirst()).numUpdatedRows);
      },
      async delete({ model, where }) {
        await db.deleteFrom(model).where(matching(model, where)).execute();
      },
      async deleteMany({ model, where }) {
        const query = db.deleteFrom(model).where(matching(model, where));
        return Number((await query.executeTakeFirst()).numDeletedRows);
      },
    }),
  });
}

interface FindMany {
  readonly model: string;
  readonly where?: readonly CleanedWhere[] | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
  readonly sortBy?: { readonly field: string; readonly direction: 'asc' | 'desc' } | undefined;
}

function matching(model: string, where: readonly CleanedWhere[]) {
  return (eb: ExpressionBuilder<AnySchema, string>) => {
    const terms = where.map((condition) => {
      const operator = OPERATORS[(condition.operator ?? 'eq') as keyof typeof OPERATORS];
      if (!operator) throw new Error(`the operator ${condition.operator} is not supported`);
      const value = isToken(model, condition.field) ? hashEach(condition.value) : condition.value;
      const expression =
        value === null
          ? eb(condition.field, operator === '!=' ? 'is not' : 'is', null)
          : eb(condition.field, operator, value);
      return { isOr: condition.connector === 'OR', expression };
    });
    const all = terms.filter(({ isOr }) => !isOr).map(({ expression }) => expression);
    const some = terms.filter(({ isOr }) => isOr).map(({ expression }) => expression);
    return some.length === 0 ? eb.and(all) : eb.and([...all, eb.or(some)]);
  };
}

function isToken(model: string, field: string): boolean {
  return model === SESSIONS_TABLE && field === 'token';
}

function hashEach(value: unknown): unknown {
  return Array.isArray(value) ? value.map((token) => hashSecret(String(token))) : hashSecret(String(value));
}

function withHashedToken<T extends Row>(model: string, data: T): Row {
  return isToken(model, 'token') && 'token' in data ? { ...data, token: hashEach(data['token']) } : data;
}

function withNamedToken(model: string, row: Row, where: readonly CleanedWhere[]): Row {
  const named = where.find(({ field, operator }) => isToken(model, field) && (operator ?? 'eq') === 'eq');
  return named ? { ...row, token: named.value } : row;
}

import { createError } from '@berth/contract';
import { type DatabaseConnection, PostgresDialect, type PostgresDialectConfig, PostgresDriver } from 'kysely';

/** Kysely's driver, which reports an unreachable database as `unavailable` instead of a socket error. */
class AwayPostgresDriver extends PostgresDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw createError('unavailable', 'The database of the agent is away; try again.', { cause: error });
    }
  }
}

/** The Kysely dialect of an agent's Postgres database. */
export class AgentPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): PostgresDriver {
    return new AwayPostgresDriver(this.#config);
  }
}

/**
 * The architecture as data: package → the workspace packages it may import. Arrows point down only
 * (docs/architecture.md). A package that is not listed here fails the check.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@berth/kit': [],
  '@berth/outbound': ['@berth/kit'],
  '@berth/contract': ['@berth/kit'],
  '@berth/http': ['@berth/kit', '@berth/contract'],
  '@berth/sqlite': ['@berth/kit'],
  '@berth/postgres': ['@berth/kit', '@berth/sqlite'],
  '@berth/agent-store': ['@berth/kit', '@berth/contract', '@berth/sqlite', '@berth/postgres'],
  '@berth/agent-core': ['@berth/kit', '@berth/outbound', '@berth/contract', '@berth/http', '@berth/agent-store'],
  '@berth/agent-connectors': [
    '@berth/kit',
    '@berth/outbound',
    '@berth/contract',
    '@berth/http',
    '@berth/agent-store',
    '@berth/agent-core',
  ],
  '@berth/agent-render': [
    '@berth/kit',
    '@berth/outbound',
    '@berth/contract',
    '@berth/agent-store',
    '@berth/agent-core',
  ],
  '@berth/agent': [
    '@berth/kit',
    '@berth/outbound',
    '@berth/contract',
    '@berth/http',
    '@berth/agent-store',
    '@berth/agent-core',
    '@berth/agent-connectors',
    '@berth/agent-render',
  ],
  '@berth/client': ['@berth/kit', '@berth/contract'],
  '@berth/mcp': ['@berth/kit', '@berth/contract', '@berth/client'],
  '@berth/database': ['@berth/kit', '@berth/contract', '@berth/sqlite', '@berth/postgres'],
  '@berth/runtime': ['@berth/kit', '@berth/contract'],
  '@berth/runtime-process': ['@berth/kit', '@berth/contract', '@berth/runtime'],
  '@berth/runtime-docker': ['@berth/kit', '@berth/contract', '@berth/runtime', '@berth/builder'],
  '@berth/runtime-kubernetes': ['@berth/kit', '@berth/contract', '@berth/runtime', '@berth/builder'],
  '@berth/git': ['@berth/kit', '@berth/contract', '@berth/outbound', '@berth/runtime'],
  '@berth/builder': ['@berth/kit', '@berth/contract', '@berth/runtime', '@berth/object-store'],
  '@berth/gateway': ['@berth/kit', '@berth/contract', '@berth/runtime'],
  '@berth/logstore': ['@berth/kit', '@berth/contract', '@berth/object-store'],
  '@berth/collector': ['@berth/kit', '@berth/logstore'],
  '@berth/object-store': ['@berth/kit', '@berth/contract'],
  '@berth/certificates': ['@berth/kit', '@berth/contract'],
  '@berth/mail': ['@berth/kit', '@berth/contract', '@berth/database'],
  '@berth/accounts': ['@berth/kit', '@berth/contract', '@berth/http', '@berth/database', '@berth/mail'],
  '@berth/control': [
    '@berth/kit',
    '@berth/outbound',
    '@berth/contract',
    '@berth/http',
    '@berth/database',
    '@berth/mail',
    '@berth/accounts',
    '@berth/runtime',
    '@berth/builder',
    '@berth/git',
    '@berth/gateway',
    '@berth/logstore',
    '@berth/object-store',
  ],
  '@berth/testkit': [
    '@berth/kit',
    '@berth/contract',
    '@berth/database',
    '@berth/runtime',
    '@berth/builder',
    '@berth/gateway',
    '@berth/logstore',
    '@berth/object-store',
  ],
  // The builder for its plans, so that `berth dev` runs what a deploy would run.
  '@berth/cli': ['@berth/kit', '@berth/contract', '@berth/client', '@berth/mcp', '@berth/builder'],
  // The pages use only the platform's public API.
  '@berth/ui': ['@berth/kit', '@berth/contract', '@berth/client'],
  '@berth/console': ['@berth/kit', '@berth/contract', '@berth/client', '@berth/ui'],
  '@berth/chat': ['@berth/kit', '@berth/contract', '@berth/client', '@berth/ui'],
  '@berth/server': [
    '@berth/kit',
    '@berth/contract',
    '@berth/client',
    '@berth/mcp',
    '@berth/database',
    '@berth/runtime',
    '@berth/runtime-process',
    '@berth/runtime-docker',
    '@berth/runtime-kubernetes',
    '@berth/collector',
    '@berth/builder',
    '@berth/git',
    '@berth/gateway',
    '@berth/http',
    '@berth/logstore',
    '@berth/certificates',
    '@berth/object-store',
    '@berth/mail',
    '@berth/accounts',
    '@berth/control',
  ],
};

/**
 * Only programs may read the environment and end the process; packages are passed what they need. An agent's program is written by its
 * owner, so the library reads the environment for it, in one place.
 */
export const PROGRAM_ROOTS = [
  'apps/',
  'tools/',
  'bench/',
  'tests/',
  'packages/agent/src/compose/process-context.ts',
] as const;

/** Lines of a source file that a person wrote. Above it one concept has become several. */
export const MAX_FILE_LINES = 400;

/**
 * Pairs of folders inside a package that import each other, at most; a package that is not listed has none. The figures only
 * go down: a package that has fewer than its figure fails the check until the figure is lowered.
 */
export const KNOTS_ALLOWED: Readonly<Record<string, number>> = {};

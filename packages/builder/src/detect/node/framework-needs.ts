import type { ProjectFiles } from '../../plan/project-files.ts';
import { dependencyNames, type PackageJson } from './package-json.ts';

/** Settings that a framework needs so that Berth can start the result of its build. */
export interface FrameworkNeeds {
  /** Environment of the install and build steps. */
  readonly buildEnv: Readonly<Record<string, string>>;
  /** Environment of the service. */
  readonly env: Readonly<Record<string, string>>;
  readonly notices: readonly string[];
  /** Why the build makes neither a server nor a site, and how to fix that; undefined if it makes one. */
  readonly missingAdapter?: string;
}

const OTHER_SVELTE_ADAPTER = /^(@sveltejs\/adapter-(?!auto$)|svelte-adapter-)/;

/** Returns the settings that the frameworks among a project's dependencies need. */
export async function findFrameworkNeeds(files: ProjectFiles, manifest: PackageJson): Promise<FrameworkNeeds> {
  const names = dependencyNames(manifest);
  const missingAdapter = await findMissingQwikAdapter(files, manifest, names);
  const isAutomatic = hasAutomaticAdapter(names);
  return {
    // Makes adapter-auto build a server with adapter-node. Source: adapters.js of @sveltejs/adapter-auto 7.0.1.
    buildEnv: isAutomatic ? { GCP_BUILDPACKS: '1' } : {},
    env: {
      // Nuxt, SvelteKit, Astro and many starters listen on the loopback interface by default.
      HOST: '0.0.0.0',
      // Next.js reads HOSTNAME; to other programs HOSTNAME is the machine's name.
      ...(names.has('next') ? { HOSTNAME: '0.0.0.0' } : {}),
      ...(names.has('fastify-cli') ? { FASTIFY_ADDRESS: '0.0.0.0' } : {}),
    },
    notices: isAutomatic
      ? [
          "SvelteKit's adapter-auto uses @sveltejs/adapter-node here. To pin its version, add it as the project's adapter.",
        ]
      : [],
    ...(missingAdapter === undefined ? {} : { missingAdapter }),
  };
}

/** Reports whether SvelteKit chooses its adapter itself. */
export function hasAutomaticAdapter(names: ReadonlySet<string>): boolean {
  return names.has('@sveltejs/adapter-auto') && ![...names].some((name) => OTHER_SVELTE_ADAPTER.test(name));
}

/**
 * Returns the error for a Qwik project that builds only its client, as new projects do. `qwik add` adds the script that
 * builds the rest.
 */
async function findMissingQwikAdapter(
  files: ProjectFiles,
  { scripts }: PackageJson,
  names: ReadonlySet<string>,
): Promise<string | undefined> {
  const isQwik = names.has('@builder.io/qwik-city') || names.has('@qwik.dev/router');
  if (!isQwik || scripts['serve'] !== undefined) return undefined;
  if ((await files.kindOf('adapters/static')) === 'folder') return undefined;
  return 'Qwik builds no server and no pages without an adapter. Run "npm run qwik add node-server" for a server or "npm run qwik add static" for a static site, then deploy again.';
}

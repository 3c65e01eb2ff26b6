import type { ValidationIssue } from '@berth/contract';

/** Everything that a variable of a deployment may refer to. */
export interface ReferenceSources {
  /** The account's shared variables. */
  readonly shared: ReadonlyMap<string, string>;
  /** Returns the address of a deployment of the account; undefined for other names. */
  urlOf(deployment: string): string | undefined;
  /** Answers of the operator's secret store, by name. */
  readonly external: ReadonlyMap<string, ExternalSecret>;
}

/** A secret of the operator's store, or why there is none. */
export type ExternalSecret = { readonly value: string } | { readonly problem: string };

/** A value with its references resolved. */
export interface ResolvedValue {
  readonly value: string;
  /** Keys of the shared variables that it refers to; undefined for a value without references. */
  readonly sharedKeys?: readonly string[];
}

/** Other texts in such brackets belong to other programs, and stay as they are. */
const REFERENCE = /\$\{\{\s*(shared|services|external)\.([^{}\s]*)\s*\}\}/g;
const OF_SERVICE = /^([a-z0-9-]+)\.(url|host)$/;

/** Names of secrets in the operator's store: safe as an argument and as a path. */
const OF_STORE = /^[A-Za-z0-9_]([A-Za-z0-9._/-]{0,199})$/;

/** Returns the names of external secrets that texts refer to. */
export function externalNames(texts: Iterable<string>): ReadonlySet<string> {
  const references = [...texts].flatMap((text) => [...text.matchAll(REFERENCE)]);
  const names = references.flatMap(([, kind, path = '']) =>
    kind === 'external' && isExternalName(path) ? [path] : [],
  );
  return new Set(names);
}

const isExternalName = (path: string) => OF_STORE.test(path) && !path.split('/').some((part) => /^\.*$/.test(part));

/**
 * Resolves `${{ shared.KEY }}`, `${{ services.NAME.url }}`, `${{ services.NAME.host }}` and `${{ external.NAME }}` in a value. References within the
 * inserted text stay as they are.
 * @returns the issues of references to nothing, at `loc`
 */
export function resolveReferences(
  text: string,
  { shared, urlOf, external }: ReferenceSources,
  loc: ValidationIssue['loc'],
): ResolvedValue | { readonly issues: readonly ValidationIssue[] } {
  const issues: ValidationIssue[] = [];
  const sharedKeys = new Set<string>();
  let isReference = false;
  const value = text.replace(REFERENCE, (whole, kind: string, path: string) => {
    isReference = true;
    const refuse = (msg: string) => {
      issues.push({ loc, msg, type: 'env_reference_invalid' });
      return whole;
    };
    if (kind === 'shared') {
      sharedKeys.add(path);
      return shared.get(path) ?? refuse(`${whole}: the account has no shared variable ${path}`);
    }
    if (kind === 'external') {
      if (!isExternalName(path)) return refuse(`${whole}: a name has letters, digits, "_", ".", "-" and "/"`);
      const secret = external.get(path) ?? { problem: 'its variable was changed meanwhile. Try again' };
      return 'value' in secret ? secret.value : refuse(`${whole}: ${secret.problem}`);
    }
    const [, name = '', part] = OF_SERVICE.exec(path) ?? [];
    if (part === undefined) return refuse(`${whole}: write services.NAME.url or services.NAME.host`);
    const url = urlOf(name);
    if (url === undefined) return refuse(`${whole}: the account has no deployment ${name}`);
    return part === 'url' ? url : new URL(url).host;
  });
  if (issues.length > 0) return { issues };
  return isReference ? { value, sharedKeys: [...sharedKeys] } : { value };
}

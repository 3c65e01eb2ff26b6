const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?/;

/**
 * Parses pip's requirements format. Source: https://pip.pypa.io/en/stable/reference/requirements-file-format/.
 * @returns `names` as of {@link requirementNames}; `includes`, the files of `-r` and `-c` as written; whether the file
 * installs parts of the source tree itself (`-e .`, `./lib`)
 */
export function parseRequirements(text: string) {
  const names: string[] = [];
  const includes: string[] = [];
  let hasLocalSources = false;
  for (const line of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const entry = line.replace(/(^|\s)#.*$/, '').trim();
    const option = /^(?:-r|-c|--requirement|--constraint)(?=[\s=./\w])/.exec(entry)?.[0];
    if (option !== undefined) includes.push(entry.slice(option.length).replace(/^=/, '').trim());
    else if (/^(-e\b|--editable\b|\.|\/|file:)/.test(entry) || /@\s*file:/.test(entry)) hasLocalSources = true;
    else if (entry !== '' && !entry.startsWith('-')) names.push(...requirementNames(entry));
  }
  return { names, includes, hasLocalSources };
}

/**
 * Returns the normalized names of one requirement such as `FastAPI[standard]>=0.115`: `name`, and `name[extra]` for each
 * extra. Empty if it has no name. Source: PEP 503, PEP 508.
 */
export function requirementNames(requirement: string): string[] {
  const [, name, extras] = NAME.exec(requirement.trim()) ?? [];
  if (name === undefined) return [];
  const normal = normalizeName(name);
  const wanted = (extras ?? '').split(',').map((extra) => extra.trim().toLowerCase());
  return [normal, ...wanted.filter((extra) => extra !== '').map((extra) => `${normal}[${extra}]`)];
}

/** Normalizes a package name. Source: PEP 503, "Normalized Names". */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

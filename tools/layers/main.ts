// Checks the architecture: package boundaries, folders that import each other, manifests, cycles, banned code. `npm run layers`.
import path from 'node:path';
import { findFolderPairs, findKnotFaults } from './find-knots.ts';
import { findUnguarded } from './find-unguarded.ts';
import { findBannedCode, findCycles, findPackageViolations } from './find-violations.ts';
import { readFiles, readPackages } from './read-sources.ts';

const root = path.resolve(import.meta.dirname, '../..');
const packages = readPackages(root);
const packageFiles = packages.flatMap((one) => one.files);
const otherFiles = readFiles(root, ['tools/**/*.ts', 'tests/**/*.ts', 'bench/**/*.ts']);
const files = [...packageFiles, ...otherFiles];
const imports = files.reduce((sum, file) => sum + file.imports.length, 0);

const unguarded = findUnguarded(files);
const folders = findFolderPairs(packages);
const pairs = folders.reduce((sum, one) => sum + one.pairs, 0);
const knots = folders.reduce((sum, one) => sum + one.knots.length, 0);
const faults = [
  ...findPackageViolations(packages),
  ...findBannedCode(files.filter((file) => !file.path.startsWith('tools/layers/'))),
  ...unguarded.faults,
  ...findKnotFaults(folders),
  ...findCycles(files).map((cycle) => `import cycle: ${cycle}`),
];
for (const fault of faults) console.error(fault);
console.log(
  `layers: ${packages.length} packages, ${files.length} files, ${imports} imports read; ${faults.length} faults`,
);
console.log(`layers: ${pairs} pairs of folders, of which ${knots} import each other`);
console.log(`layers: ${unguarded.read} files of the agent looked through for requests past its one way out`);
if (unguarded.read === 0 || pairs === 0 || packages.length === 0 || packageFiles.length === 0 || imports === 0) {
  console.error('layers: read nothing, so proved nothing');
  process.exitCode = 1;
}
if (faults.length > 0) process.exitCode = 1;

// Measures the code of the repository. `npm run figures -- --help`.
import { measureRepository } from './measure-repository.ts';
import { nodeModulesBytes, productionInstallBytes } from './measure-sizes.ts';
import { HELP, parseOptions } from './parse-options.ts';
import { type Figures, renderFigures } from './render-figures.ts';

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(HELP);
  else {
    const { isJson, root, hasInstall } = options;
    const figures: Figures = {
      ...measureRepository(root),
      nodeModulesBytes: nodeModulesBytes(root),
      productionInstallBytes: hasInstall ? productionInstallBytes(root) : undefined,
    };
    process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : renderFigures(figures));
  }
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  process.exitCode = 2;
}

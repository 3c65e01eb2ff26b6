import { expect, test } from 'vitest';
import { imageBuildVariables } from './build-environment.ts';

test("builds of images are told how to reach registries, and nothing else of the server's environment", () => {
  const withheld: string[] = [];
  const environment = {
    PATH: '/canary/bin',
    HOME: '/canary',
    BERTH_BOOTSTRAP_KEY: 'canary',
    AWS_SECRET_ACCESS_KEY: 'canary',
    DOCKER_HOST: 'unix:///canary',
    HTTP_PROXY: 'http://proxy.example:3128',
    HTTPS_PROXY: 'http://canary:canary@proxy.example:3128',
    PIP_INDEX_URL: 'https://canary@pypi.example/simple',
    GOPROXY: 'https://goproxy.example,https://u:canary@go.example,direct',
    npm_config_registry: 'https://npm.example/a@b/',
  };
  // Fails when addresses with credentials pass: any step of a build can print them.
  expect(imageBuildVariables(environment, (name) => withheld.push(name))).toEqual({
    HTTP_PROXY: 'http://proxy.example:3128',
    npm_config_registry: 'https://npm.example/a@b/',
  });
  expect(withheld).toEqual(['HTTPS_PROXY', 'PIP_INDEX_URL', 'GOPROXY']);
});

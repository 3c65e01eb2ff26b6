export { openApi, type TestApi } from '../fetch/testing/open-api.ts';

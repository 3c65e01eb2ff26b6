export type * from './object-store.ts';
export {
  formatSignedUrl,
  OBJECTS_PREFIX,
  parseSignedTarget,
  type SignedTarget,
  UPLOADS_PREFIX,
} from './signing/signed-url.ts';
export { createUrlSigner, type Grant, type Signature, type UrlSigner } from './signing/url-signer.ts';

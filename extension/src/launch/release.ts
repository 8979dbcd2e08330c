/** Releases of the server and of the extension that belong together. */

/** Whether two versions differ in nothing but the last of their numbers. A version that says nothing fits. */
export function isSameRelease(server: string, extension: string): boolean {
  const release = (version: string): string => version.split(".").slice(0, 2).join(".");
  return server === "" || release(server) === release(extension);
}

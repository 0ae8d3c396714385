/** Whether a URL's host is this machine: what goes there needs no encryption. @param host - as `URL.hostname` writes it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)

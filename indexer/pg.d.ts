/** What is used of the package, which brings no types. */
declare module 'pg' {
  class Client {
    constructor(options: { connectionString: string })
    connect(): Promise<void>
    query(statement: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
    end(): Promise<void>
  }
  const pg: { Client: typeof Client }
  export default pg
}

/** The part of the package that is used. The package has no types of its own. */
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

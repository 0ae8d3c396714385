export * from './abi.ts'
export * from './record.ts'

export * from './abi.ts'
export * from './contractNames.ts'
export * from './networks.ts'
export * from './record.ts'

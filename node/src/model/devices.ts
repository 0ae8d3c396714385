/** What models can run on, for layers that do not see the engine. */
export { choose, type DeviceReport, reportDevices } from '#engine/chooseDevice.ts'
export { type Device, devices } from '#engine/device.ts'
export { tryDevice } from '#engine/tryDevice.ts'

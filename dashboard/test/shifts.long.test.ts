import { openBrowserScene } from './browserScene.ts'
import { testShiftsAt } from './pages/shifts.ts'

testShiftsAt(1280, openBrowserScene())

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Weights} from "../src/libraries/Weights.sol";
import {TestBase} from "./TestBase.sol";

contract WeightsTest is TestBase {
    using Weights for uint80;

    /// @dev Against a plain list of scores by round: rounds that were missed, and scores that were changed later.
    function testFuzz_LanesAreTheLastEightRounds(
        uint16[12] memory scores,
        uint16 missed,
        uint8 at,
        uint16 later
    ) public pure {
        uint16[12] memory plain;
        uint80 lanes = 0;
        uint256 newest = 0;
        for (uint256 round = 0; round < 12; ++round) {
            if ((missed >> round) & 1 == 1) continue;
            plain[round] = scores[round] % 1001;
            lanes = lanes.ahead(round - newest).withScore(0, plain[round]);
            newest = round;
        }
        uint256 changed = at % (newest + 1);
        later %= 1001;
        plain[changed] = later;
        lanes = lanes.withScore(newest - changed, later);
        uint256 sum = 0;
        for (uint256 round = newest > 7 ? newest - 7 : 0; round < newest; ++round) sum += plain[round];
        vm.assertEq(lanes.before(), sum);
        vm.assertEq(lanes & 1023, plain[newest]);
        vm.assertEq(lanes.ahead(8), 0);
        vm.assertEq(lanes.ahead(type(uint256).max), 0);
    }

    /// @dev The mean is over all rounds while they are few; a round without weight takes a 32nd of it at most.
    function test_TheMeanOfRoundsForgetsSlowly() public pure {
        vm.assertEq(Weights.meanOf(0, 77, 500), 0);
        uint40 mean = 0;
        for (uint24 number = 1; number <= 32; ++number) {
            mean = Weights.meanOf(number, mean, number % 2 == 0 ? 2000 : 1000);
            if (number % 2 == 0) vm.assertLe(1490, mean);
        }
        vm.assertLe(mean, 1500);
        vm.assertEq(Weights.meanOf(33, 3200, 0), 3100);
        vm.assertEq(Weights.meanOf(type(uint24).max, 3200, 6400), 3300);
    }

    /// @dev With any weights of rounds, the mean is between the least and the most of them, and after a fall to half of
    /// it, 73 rounds leave a tenth of the way.
    function testFuzz_TheMeanFollows(uint40[40] memory weights, uint40 before) public pure {
        uint40 mean = 0;
        (uint40 least, uint40 most) = (type(uint40).max, 0);
        for (uint24 i = 0; i < 40; ++i) {
            if (weights[i] < least) least = weights[i];
            if (weights[i] > most) most = weights[i];
            mean = Weights.meanOf(i + 1, mean, weights[i]);
            // Each of those rounds down.
            vm.assertLe(least, uint256(mean) + i + 1);
            vm.assertLe(mean, most);
        }
        before |= 1 << 20;
        mean = before;
        for (uint24 i = 0; i < 73; ++i) mean = Weights.meanOf(100 + i, mean, before / 2);
        vm.assertLe(mean - before / 2, before / 20 + 1);
    }

    function test_AScoreWeighsAtMostFiveQuartersOfItsMean() public pure {
        vm.assertEq(Weights.weightOf(1000, 7000), 32_000);
        // One missed round of eight costs nothing more, two cost a sixteenth.
        vm.assertEq(Weights.weightOf(1000, 6000), 32_000);
        vm.assertEq(Weights.weightOf(1000, 5000), 30_000);
        vm.assertEq(Weights.weightOf(1000, 0), 5_000);
        vm.assertEq(Weights.weightOf(0, 7000), 0);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SEATS, Tally} from "../src/libraries/Tally.sol";
import {Median} from "./Median.sol";
import {TestBase} from "./TestBase.sol";

contract TallyTest is TestBase {
    function test_AQuorumIsMoreThanHalfAndNeverFewerThanTwo() public pure {
        uint256[6] memory expected = [uint256(2), 2, 2, 2, 3, 3];
        for (uint256 seats = 0; seats <= 5; ++seats) vm.assertEq(Tally.quorumOf(seats), expected[seats]);
    }

    /// @dev Against a tally written the plain way, over random votes of random seats.
    function testFuzz_TheVerdictIsTheLowerMedian(uint256 seed, uint256 quorum) public pure {
        quorum = bound(quorum, 1, SEATS);
        uint256[SEATS] memory lanes;
        uint16[] memory cast = new uint16[](SEATS);
        uint256 count = 0;
        for (uint256 seat = 0; seat < SEATS; ++seat) {
            seed = uint256(keccak256(abi.encode(seed)));
            if (seed % 4 == 0) continue;
            uint16 vote = (seed >> 8) % 3 == 0 ? Tally.UNAVAILABLE : uint16((seed >> 16) % 1001);
            lanes[seat] = Tally.laneOf(vote);
            cast[count++] = vote;
        }
        (uint8 expectedOutcome, uint16 expectedScore) = Median.outcome(cast, count, quorum);
        (uint8 outcome, uint16 scoreMilli, uint8 counted) = Tally.verdict(lanes, quorum);
        vm.assertEq(outcome, expectedOutcome);
        vm.assertEq(scoreMilli, expectedScore);
        vm.assertEq(counted, count);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {VoteWords} from "../src/libraries/VoteWords.sol";
import {Median} from "./Median.sol";
import {TestBase} from "./TestBase.sol";

contract VoteWordsTest is TestBase {
    using VoteWords for uint256;

    function test_AnotherRoundsWordCountsAsEmpty() public pure {
        uint256 word = uint256(0).forRound(4).withVote(13, 1000);
        vm.assertEq(word.forRound(4), word);
        vm.assertFalse(word.forRound(10).hasVote(13));
        vm.assertEq(word.forRound(10), uint256(0).forRound(10));
        vm.assertTrue(uint256(0).forRound(0) != 0);
    }

    function testFuzz_SeatsDoNotTouchEachOther(uint64 round, uint16 scoreMilli, uint256 seat) public pure {
        seat = bound(seat, 0, VoteWords.SEATS - 1);
        scoreMilli = scoreMilli % 1002 == 1001 ? VoteWords.UNAVAILABLE : scoreMilli % 1002;
        uint256 word = uint256(0).forRound(round).withVote(seat, scoreMilli);
        for (uint256 i = 0; i < VoteWords.SEATS; ++i) vm.assertTrue(word.hasVote(i) == (i == seat));
        vm.assertEq(word.forRound(round), word);
        vm.assertEq(word.outcomeOf(), 0);
    }

    function testFuzz_SettlingKeepsTheRoundAndDropsTheVotes(
        uint64 round,
        uint16 scoreMilli,
        uint8 outcome
    ) public pure {
        scoreMilli %= 1001;
        outcome = uint8(bound(outcome, 1, 3));
        uint256 word = uint256(0).forRound(round).withVote(3, 17).withVote(12, VoteWords.UNAVAILABLE);
        word = word.settled(outcome, scoreMilli);
        vm.assertEq(word.forRound(round), word);
        vm.assertEq(word.outcomeOf(), outcome);
        vm.assertEq(word.scoreOf(), scoreMilli);
        for (uint256 i = 1; i < VoteWords.SEATS; ++i) vm.assertFalse(word.hasVote(i));
    }

    /// @dev Against a tally written the plain way, over random votes of random seats.
    function testFuzz_TallyIsTheLowerMedian(uint256 seed, uint256 quorum) public pure {
        quorum = bound(quorum, 1, 8);
        uint256 word = uint256(0).forRound(5);
        uint16[] memory cast = new uint16[](VoteWords.SEATS);
        uint256 count = 0;
        for (uint256 seat = 0; seat < VoteWords.SEATS; ++seat) {
            seed = uint256(keccak256(abi.encode(seed)));
            if (seed % 3 == 0) continue;
            uint16 vote = (seed >> 8) % 3 == 0 ? VoteWords.UNAVAILABLE : uint16((seed >> 16) % 1001);
            word = word.withVote(seat, vote);
            cast[count++] = vote;
        }
        (uint8 expectedOutcome, uint16 expectedScore) = Median.outcome(cast, count, quorum);
        (uint8 outcome, uint16 scoreMilli, uint256 votes) = word.tally(quorum);
        vm.assertEq(outcome, expectedOutcome);
        vm.assertEq(scoreMilli, expectedScore);
        vm.assertEq(votes, count);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRewardVotes} from "../../src/interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../../src/interfaces/IRolloutCommitments.sol";
import {Median} from "../Median.sol";
import {AppealFixture} from "./AppealFixture.sol";

/// @dev How an appealed score counts in the weights of the rounds that are settled before its case is closed. Both
/// solvers work in each round and are given 500, but for the votes on the appealed one's first.
contract AppealWeightsTest is AppealFixture {
    uint16 internal constant EACH = 500;

    uint16[5] internal firstVotes;
    bool internal isFirstCounted = true;

    /// @dev Times the share of votes that are scores: two of five may be of friends.
    function test_AnUnavailableScoreCountsAsItsVotesHadItWhileItIsAppealed() public {
        firstVotes = [800, GONE, GONE, 600, GONE];
        playTo(3);
        settle(0);
        appealAs(APPELLANT);
        vm.assertEq(votes.points(appealed), 0);
        vm.assertEq(pointsIn(0), EACH);
        closeWith(900);
        expectEarned(240, 900);
    }

    function test_ALostAppealLeavesNothingOfIt() public {
        firstVotes = [1000, GONE, GONE, 1000, GONE];
        playTo(3);
        settle(0);
        appealAs(APPELLANT);
        closeWith(10);
        vm.assertEq(votes.points(appealed), 4 * uint256(EACH));
        expectEarned(400, 0);
    }

    /// @dev Or a peer that serves nobody would hide its zeros with one seat of a friend, for half of a bond each.
    function test_OneVoteAloneCountsNothing() public {
        firstVotes = [GONE, GONE, 1000, GONE, GONE];
        playTo(3);
        settle(0);
        appealAs(APPELLANT);
        closeWith(GONE);
        expectEarned(0, 0);
    }

    /// @dev With any votes of the committee, missing ones too, and any verdict of the jury.
    function testFuzz_EarningsFollowThePlainRule(uint256 draw, uint16 verdict) public {
        uint16[] memory cast = new uint16[](5);
        uint16[] memory scores = new uint16[](5);
        (uint256 count, uint256 available) = (0, 0);
        for (uint256 i = 0; i < 5; ++i) {
            uint256 word = uint256(keccak256(abi.encode(draw, i)));
            firstVotes[i] =
                word % 8 < 4
                    ? GONE
                    : word % 8 == 4
                        ? SILENT
                        : uint16((word >> 8) % 1001);
            if (word % 16 == 15) firstVotes[i] = firstVotes[0] < 1001 ? firstVotes[0] : 1000;
            if (firstVotes[i] == SILENT) continue;
            cast[count++] = firstVotes[i];
            if (firstVotes[i] != GONE) scores[available++] = firstVotes[i];
        }
        playTo(3);
        settle(0);
        (uint8 outcome, uint16 settledMilli) = Median.outcome(cast, count, 3);
        (uint8 actual, ) = votes.outcomeOf(0, appealed);
        vm.assertEq(actual, outcome);
        appealAs(APPELLANT);
        verdict = verdict % 4 == 0 ? GONE : verdict % 1001;
        closeWith(verdict);
        (, uint16 votedMilli) = Median.outcome(scores, available, 2);
        if (count != 0) votedMilli = uint16((votedMilli * available) / count);
        if (verdict == GONE && available != count) verdict = 0;
        bool isUpheld = verdict != GONE && (verdict > settledMilli + 25 || verdict + 25 < settledMilli);
        isFirstCounted = outcome != 3;
        expectEarned(outcome == 2 ? votedMilli : settledMilli, isUpheld ? verdict : settledMilli);
    }

    function test_WithoutAScoreItCountsNothing() public {
        firstVotes = [GONE, GONE, GONE, GONE, GONE];
        playTo(3);
        settle(0);
        appealAs(APPELLANT);
        closeWith(900);
        expectEarned(0, 900);
    }

    function test_ARoundThatIsLostMeanwhileCountsNothing() public {
        // The same commitment as `commitBoth` makes.
        IRolloutCommitments.Work memory work = commitDrawn(appealed);
        firstVotes = [800, GONE, GONE, 600, GONE];
        playTo(3);
        settle(0);
        appealAs(APPELLANT);
        challenges.challengeLeaf(0, appealed, work, drawnLeaf(0, appealed), proof());
        closeWith(900);
        expectEarned(0, 0);
    }

    /// @dev A vote of its own account, which settlement left out, changes nothing.
    function test_AScoreThatWasSettledCountsAsItWas() public {
        firstVotes = [100, 200, 300, 400, 1000];
        playTo(3);
        bytes32 own = votes.committeeOf(0, 0)[4];
        uint256 i = 0;
        while (evaluators[i] != own) ++i;
        enrolNow(100 + i, registry.accountOf(appealed));
        settle(0);
        vm.assertEq(votes.points(appealed), 200);
        appealAs(APPELLANT);
        closeWith(210);
        expectEarned(200, 200);
    }

    /// @dev Up to round 8: the seats of the first jury say so, and the case is closed before round 4 is settled.
    function closeWith(uint16 verdict) internal {
        playTo(4);
        uint16[] memory scores = sameScores(verdict);
        bytes32[] memory jury = challenges.juryOf(0, appealed);
        for (uint256 i = 0; i < jury.length; ++i) {
            if (registry.accountOf(jury[i]) == registry.accountOf(appealed)) scores[i] = SILENT;
        }
        sealVerdicts(scores);
        settle(1);
        playTo(5);
        revealVerdicts(scores);
        settle(2);
        playTo(6);
        settle(3);
        playTo(7);
        challenges.closeAppeal(0, appealed);
        settle(4);
        enterRound(8);
    }

    /// @dev Everything that is due at the start of each round but settlement.
    function playTo(uint64 last) internal {
        if (last == 3) commitBoth();
        for (uint64 round = rounds.currentRound() + 1; round <= last; ++round) {
            enterRound(round);
            commitBoth();
            for (uint256 i = 0; i < 5; ++i) {
                if (mayVote(round - 1, i)) commitBallot(ballotAt(round - 1, i));
                bool isSealed = round == 2 && firstVotes[i] == SILENT;
                if (round > 1 && !isSealed && mayVote(round - 2, i)) revealBallot(ballotAt(round - 2, i));
            }
        }
    }

    function settle(uint64 round) internal {
        votes.settle(round, 0, firstSolvers(2));
    }

    /// @dev A key that was moved counts from a later round on.
    function mayVote(uint64 round, uint256 position) internal view returns (bool may) {
        (, uint64 fromRound) = registry.membershipOf(votes.committeeOf(round, 0)[position]);
        return fromRound <= round;
    }

    function ballotAt(uint64 round, uint256 position) internal returns (IRewardVotes.Ballot memory ballot) {
        uint16 score =
            round != 0
                ? EACH
                : firstVotes[position] == SILENT
                    ? GONE
                    : firstVotes[position];
        return ballotOf(round, votes.committeeOf(round, 0)[position], scoresBy(score, EACH));
    }

    /// @dev Of rounds 0 to 4, by the plain rule. In an outage the other has no score, and none of round 0 is averaged.
    function expectEarned(uint256 heldMilli, uint256 finalMilli) internal view {
        uint256 earnedWei = 0;
        uint256 otherMilli = isFirstCounted ? EACH : 0;
        if (finalMilli != 0) earnedWei = (1_000 ether * finalMilli) / (finalMilli + otherMilli);
        for (uint256 round = 1; round < 5; ++round) {
            uint256 first = round < 4 ? heldMilli : finalMilli;
            uint256 own = 5 * ((isFirstCounted ? first : 0) + EACH * round);
            uint256 other = 5 * (otherMilli + EACH * round);
            earnedWei += (1_000 ether * own) / (own + other);
        }
        vm.assertEq(votes.earnedOf(appealed), earnedWei);
    }
}

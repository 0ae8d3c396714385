// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEvaluatorSeats} from "../src/interfaces/IEvaluatorSeats.sol";
import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../src/interfaces/IRolloutCommitments.sol";
import {Median} from "./Median.sol";
import {VotesFixture} from "./VotesFixture.sol";

contract SettlementTest is VotesFixture {
    function test_SettlesTheMedian() public {
        voteOnFirstSolver(scoresOf(900, 100, 400));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 400, 3, 1);
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(1, 400);
        vm.assertEq(votes.points(solvers[0]), 400);
    }

    /// @dev Round 12 takes round 0's place among the remembered ones.
    function test_AHeldRoundIsEarnedOnceItIsReleasedHoweverLate() public {
        voteOnFirstSolver(scoresOf(400, 400, 400));
        votes.settle(0, 0, firstSolvers(1));
        enterRound(6);
        uint256 firstWei = votes.earnedOf(solvers[0]);
        vm.assertTrue(firstWei > 0);
        vm.prank(address(challenges));
        votes.hold(0, solvers[0]);
        vm.assertEq(votes.earnedOf(solvers[0]), 0);
        enterRound(12);
        commitRollouts(solvers[0]);
        voteOn(12, scoresOf(400, 400, 400));
        votes.settle(12, 0, firstSolvers(1));
        enterRound(18);
        uint256 secondWei = votes.earnedOf(solvers[0]);
        vm.assertTrue(secondWei > 0);
        vm.prank(address(challenges));
        votes.release(0, solvers[0]);
        vm.assertEq(votes.earnedOf(solvers[0]), firstWei + secondWei);
    }

    function test_TakesTheLowerOfTwo() public {
        voteOnFirstSolver(scoresOf(900, 100));
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(1, 100);
    }

    function test_APageOfAThousandthOfAPointCounts() public {
        voteOnFirstSolver(scoresOf(1, 1, 1));
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(1, 1);
        vm.assertEq(pointsIn(0), 1);
    }

    function test_LeavesUnavailableOutOfTheMedian() public {
        voteOnFirstSolver(scoresOf(900, GONE, 700));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 700, 3, 1);
        votes.settle(0, 0, firstSolvers(1));
    }

    function test_HalfUnavailableStillScores() public {
        voteOnFirstSolver(scoresOf(GONE, 800));
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(1, 800);
    }

    function test_MostlyUnavailableScoresNothing() public {
        voteOnFirstSolver(scoresOf(GONE, 1000, GONE));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 0, 3, 2);
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(2, 0);
        vm.assertEq(votes.points(solvers[0]), 0);
    }

    function test_NoQuorumGivesNoPoints() public {
        voteOnFirstSolver(scoresOf(900));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 0, 1, 3);
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(3, 0);
    }

    function test_NobodyVotedIsNoQuorum() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        enterRound(3);
        votes.settle(0, 0, firstSolvers(0));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 0, 0, 3);
        votes.settle(0, 0, firstSolvers(1));
        // The chain, or the network, was out of reach of all.
        for (uint256 i = 0; i < 3; ++i) vm.assertEq(votes.missesOf(evaluators[i]), 0);
    }

    /// @dev One seat alone is a majority of itself, but never a quorum.
    function test_OneSeatIsNeverAQuorum() public {
        votes.removeEvaluator(evaluators[1]);
        votes.removeEvaluator(evaluators[2]);
        enterRound(1);
        commitRollouts(solvers[0]);
        voteOn(1, scoresOf(900));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(1, solvers[0], 0, 1, 3);
        votes.settle(1, 0, firstSolvers(1));
    }

    /// @dev The quorum is of the committee that was drawn, not of those who sit on the day of settlement.
    function test_QuorumIsOfTheRoundsOwnCommittee() public {
        commitRollouts(solvers[0]);
        for (uint256 i = 0; i < 11; ++i) votes.admitEvaluator(bytes32(i + 1));
        voteOn(0, scoresOf(600, 600));
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(1, 600);
    }

    function test_AVoteOfThePeersOwnAccountIsNone() public {
        bytes32 own = enrol(300, accountNamed(100));
        commitRollouts(own);
        voteOn(0, scoresOf(1000, 200, 300));
        bytes32[] memory page = new bytes32[](1);
        page[0] = own;
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, own, 200, 2, 1);
        votes.settle(0, 0, page);
    }

    function test_AVoidRoundEndsWithoutPointsAndWithoutBlame() public {
        commitRollouts(solvers[0]);
        vm.warp(rounds.startOf(3));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(0, solvers[0], 0, 0, 4);
        votes.settle(0, 0, firstSolvers(1));
        expectOutcome(4, 0);
        for (uint256 i = 0; i < 3; ++i) vm.assertEq(votes.missesOf(evaluators[i]), 0);
    }

    /// @dev The work of a round cannot be judged if its seeds came from no beacon.
    function test_ARoundAfterAVoidOneIsVoidToo() public {
        vm.warp(rounds.startOf(1));
        commitRollouts(solvers[0]);
        vm.warp(rounds.startOf(2));
        openBeacon(rounds, 1);
        rounds.drawBeacon(1);
        vm.warp(rounds.startOf(4));
        vm.expectEmit(address(votes));
        emit IRewardVotes.Settled(1, solvers[0], 0, 0, 4);
        votes.settle(1, 0, firstSolvers(1));
    }

    function test_TheFirstPageJudgesAbsencesOnce() public {
        commitRollouts(solvers[0]);
        commitRollouts(solvers[1]);
        enterRound(1);
        IRewardVotes.Ballot[3] memory ballots;
        for (uint256 i = 0; i < 3; ++i) commitBallot(ballots[i] = ballotOf(0, evaluators[i], scoresOf(500, 500)));
        enterRound(2);
        for (uint256 i = 0; i < 2; ++i) revealBallot(ballots[i]);
        enterRound(3);
        vm.recordLogs();
        votes.settle(0, 0, firstSolvers(1));
        vm.assertEq(vm.getRecordedLogs().length, 3);
        votes.settle(0, 0, firstSolvers(2));
        votes.settle(0, 0, firstSolvers(0));
        vm.assertEq(votes.missesOf(evaluators[0]), 0);
        vm.assertEq(votes.missesOf(evaluators[2]), 3);
    }

    /// @dev Of three shards one stays silent: its absentees are blamed. Where two do, nobody is.
    function testFuzz_WhereMostShardsAreHeardTheOthersAreBlamed(uint256 seed) public {
        uint256 heardShards = seed % 4;
        bytes32[] memory peers = new bytes32[](96);
        for (uint256 i = 0; i < 96; ++i) commitRollouts(peers[i] = enrol(1_000 + i, accountNamed(1_000 + i)));
        enterRound(1);
        IRewardVotes.Ballot[9] memory ballots;
        for (uint256 i = 0; i < 9; ++i) {
            ballots[i] = ballotOf(0, evaluators[i % 3], new uint16[](32));
            ballots[i].shard = uint32(i / 3);
            ballots[i].position = positionOf(0, ballots[i].shard, evaluators[i % 3]);
            commitBallot(ballots[i]);
        }
        enterRound(2);
        // The third seat opens nothing, and shards that are not heard have one ballot of three.
        for (uint256 i = 0; i < 9; ++i) if (i % 3 < (i / 3 < heardShards ? 2 : 1)) revealBallot(ballots[i]);
        vm.assertTrue(votes.isOutage(0) == (heardShards < 2));
        enterRound(3);
        for (uint32 shard = 3; shard > 0; --shard) votes.settle(0, shard - 1, new bytes32[](0));
        // Its silences come to the whole of a seat: two of three sealed ballots are six misses.
        vm.assertEq(votes.missesOf(evaluators[2]), heardShards < 2 ? 0 : 6);
        vm.assertEq(votes.missesOf(evaluators[0]), 0);
    }

    /// @dev Of two shards one is heard: that is half, and no outage.
    function test_WhereHalfOfTheShardsAreHeardTheOthersAreBlamed() public {
        for (uint256 i = 0; i < 33; ++i) commitRollouts(enrol(2_000 + i, accountNamed(2_000 + i)));
        enterRound(1);
        IRewardVotes.Ballot[6] memory ballots;
        for (uint256 i = 0; i < 6; ++i) {
            ballots[i] = ballotOf(0, evaluators[i % 3], new uint16[](i < 3 ? 32 : 1));
            ballots[i].shard = uint32(i / 3);
            ballots[i].position = positionOf(0, ballots[i].shard, evaluators[i % 3]);
            commitBallot(ballots[i]);
        }
        enterRound(2);
        for (uint256 i = 0; i < 2; ++i) revealBallot(ballots[i]);
        revealBallot(ballots[3]);
        vm.assertFalse(votes.isOutage(0));
        enterRound(3);
        votes.settle(0, 1, new bytes32[](0));
        votes.settle(0, 0, new bytes32[](0));
        vm.assertEq(votes.missesOf(evaluators[0]), 0);
        vm.assertTrue(votes.missesOf(evaluators[2]) > 0);
    }

    /// @dev Nobody votes on the two shards of the round. Reveals on others would make the round count as heard, and all who were away
    /// as to blame.
    function test_VotesOnShardsThatAreNotThereHideNoOutage() public {
        for (uint256 i = 0; i < 33; ++i) commitRollouts(enrol(3_000 + i, accountNamed(3_000 + i)));
        enterRound(1);
        IRewardVotes.Ballot[4] memory ballots;
        for (uint256 i = 0; i < 4; ++i) {
            IRewardVotes.Ballot memory ballot = ballotOf(0, evaluators[i % 2], new uint16[](0));
            ballot.shard = i < 2 ? 2 : type(uint32).max;
            ballot.position = positionOf(0, ballot.shard, ballot.evaluatorKey);
            try this.commitBallotHere(ballot) {} catch {}
            ballots[i] = ballot;
        }
        enterRound(2);
        for (uint256 i = 0; i < 4; ++i) try votes.revealVotes(ballots[i], SALT) {} catch {}
        vm.assertTrue(votes.isOutage(0));
        enterRound(3);
        for (uint32 shard = 0; shard < 2; ++shard) votes.settle(0, shard, new bytes32[](0));
        vm.assertEq(votes.missesOf(evaluators[2]), 0);
    }

    function test_RevertWhen_VotingOnAShardWithoutPeers() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        for (uint32 shard = 1; shard != 0; shard <<= 1) {
            IRewardVotes.Ballot memory ballot = ballotOf(0, evaluators[0], new uint16[](0));
            ballot.shard = shard;
            ballot.position = positionOf(0, shard, evaluators[0]);
            (bytes32 commitment, address account) = (hashOf(ballot), registry.accountOf(evaluators[0]));
            bytes4 error = IRewardVotes.RewardVotes_NotOnCommittee.selector;
            vm.expectRevert(abi.encodeWithSelector(error, 0, shard, ballot.position, evaluators[0]));
            vm.prank(account);
            votes.commitVotes(0, shard, ballot.position, evaluators[0], commitment);
        }
    }

    function test_AShardWithoutPeersBlamesNobody() public {
        enterRound(1);
        rounds.drawBeacon(0);
        enterRound(3);
        votes.settle(0, 0, firstSolvers(0));
        votes.settle(0, 7, firstSolvers(0));
        for (uint256 i = 0; i < 3; ++i) vm.assertEq(votes.missesOf(evaluators[i]), 0);
    }

    function test_TooManyMissesTakeTheSeatAndARevealForgives() public {
        for (uint64 round = 0; round < 6; ++round) {
            playWithTwo(round * 4, round == 3);
            vm.assertEq(votes.missesOf(evaluators[2]), round < 3 ? round + 1 : round - 3);
            vm.assertEq(votes.seatsAt(rounds.firstOpenRound()).length, 3);
        }
        for (uint64 round = 6; round < 10; ++round) playWithTwo(round * 4, false);
        bytes32[] memory seats = votes.seatsAt(rounds.firstOpenRound());
        vm.assertEq(seats.length, 2);
        vm.assertTrue(seats[0] != evaluators[2] && seats[1] != evaluators[2]);
        vm.assertEq(votes.seatsAt(39).length, 3);
        votes.admitEvaluator(evaluators[2]);
        vm.assertEq(votes.missesOf(evaluators[2]), 0);
    }

    /// @dev One that was drawn and has left since can't lose what it no longer has.
    function test_WhoHasLeftIsNotBlamed() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        votes.removeEvaluator(evaluators[2]);
        voteOn(0, scoresOf(500, 500));
        votes.settle(0, 0, firstSolvers(1));
        vm.assertFalse(votes.isOutage(0));
        vm.assertEq(votes.missesOf(evaluators[2]), 0);
    }

    function test_SettlesInPagesAndEachPeerOnce() public {
        for (uint256 i = 0; i < 3; ++i) commitRollouts(solvers[i]);
        uint16[] memory scores = scoresOf(100, 200, 300);
        IRewardVotes.Ballot[3] memory ballots;
        enterRound(1);
        for (uint256 i = 0; i < 3; ++i) {
            ballots[i] = ballotOf(0, evaluators[i], scores);
            commitBallot(ballots[i]);
        }
        enterRound(2);
        for (uint256 i = 0; i < 3; ++i) revealBallot(ballots[i]);
        enterRound(3);
        vm.recordLogs();
        votes.settle(0, 0, firstSolvers(2));
        votes.settle(0, 0, firstSolvers(3));
        votes.settle(0, 0, firstSolvers(3));
        vm.assertEq(vm.getRecordedLogs().length, 4);
        for (uint256 i = 0; i < 3; ++i) vm.assertEq(votes.points(solvers[i]), scores[i]);
        vm.assertEq(pointsIn(0), 600);
        expectOutcome(1, 100);
    }

    /// @dev 40 peers: the second shard has its own committee and ballots.
    function test_ShardsAreSettledByTheirOwnCommittees() public {
        bytes32[] memory peers = new bytes32[](40);
        for (uint256 i = 0; i < 40; ++i) {
            peers[i] = enrol(1_000 + i, accountNamed(1_000 + i));
            commitRollouts(peers[i]);
        }
        IRewardVotes.Ballot[] memory ballots = new IRewardVotes.Ballot[](6);
        enterRound(1);
        for (uint256 i = 0; i < 6; ++i) {
            uint32 shard = uint32(i / 3);
            uint16[] memory scores = new uint16[](shard == 0 ? 32 : 8);
            for (uint256 j = 0; j < scores.length; ++j) scores[j] = uint16(shard * 500 + j * 10);
            ballots[i] = ballotOf(0, evaluators[i % 3], scores);
            ballots[i].shard = shard;
            ballots[i].position = positionOf(0, shard, evaluators[i % 3]);
            commitBallot(ballots[i]);
        }
        enterRound(2);
        for (uint256 i = 0; i < 6; ++i) revealBallot(ballots[i]);
        enterRound(3);
        expectNotInShard(peers, 0, 32);
        bytes32[] memory first = new bytes32[](32);
        bytes32[] memory second = new bytes32[](8);
        for (uint256 i = 0; i < 32; ++i) first[i] = peers[i];
        for (uint256 i = 0; i < 8; ++i) second[i] = peers[32 + i];
        expectNotInShard(first, 1, 0);
        votes.settle(0, 1, second);
        votes.settle(0, 0, first);
        for (uint256 i = 0; i < 40; ++i) {
            vm.assertEq(votes.points(peers[i]), i < 32 ? i * 10 : 500 + (i - 32) * 10);
        }
    }

    function test_APeerTwiceInAPageCountsOnce() public {
        voteOnFirstSolver(scoresOf(900, 900));
        bytes32[] memory twice = new bytes32[](2);
        (twice[0], twice[1]) = (solvers[0], solvers[0]);
        vm.recordLogs();
        votes.settle(0, 0, twice);
        // One of the round, one of the peer, one of the evaluator that was silent.
        vm.assertEq(vm.getRecordedLogs().length, 3);
        vm.assertEq(votes.points(solvers[0]), 900);
        expectOutcome(1, 900);
    }

    function test_PointsAddUpOverRounds() public {
        voteOnFirstSolver(scoresOf(900, 900));
        votes.settle(0, 0, firstSolvers(1));
        commitRollouts(solvers[0]);
        voteOn(3, scoresOf(50, 50));
        votes.settle(3, 0, firstSolvers(1));
        vm.assertEq(votes.points(solvers[0]), 950);
        expectOutcome(1, 900);
    }

    function test_AnOutcomeOutlivesTheRingOnlyUntilItsSlotIsReused() public {
        voteOnFirstSolver(scoresOf(900, 900));
        votes.settle(0, 0, firstSolvers(1));
        enterRound(12);
        commitRollouts(solvers[0]);
        enterRound(15);
        expectOutcome(1, 900);
        votes.settle(12, 0, firstSolvers(1));
        expectOutcome(0, 0);
        (uint8 outcome, ) = votes.outcomeOf(12, solvers[0]);
        vm.assertEq(outcome, 4);
    }

    function test_RevertWhen_SettlingInAnotherRound() public {
        commitRollouts(solvers[0]);
        for (uint64 round = 2; round <= 4; round += 2) {
            enterRound(round);
            vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_WrongRound.selector, 0, 3, round));
            votes.settle(0, 0, firstSolvers(1));
        }
    }

    function test_RevertWhen_SettlingAPeerThatCommittedNothing() public {
        enterRound(3);
        vm.expectRevert(
            abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NoCommitment.selector, 0, solvers[0])
        );
        votes.settle(0, 0, firstSolvers(1));
    }

    function testFuzz_SettlesAsThePlainRuleSays(uint16[3] memory drawn, uint256 voters) public {
        voters = bound(voters, 0, 3);
        uint16[] memory scores = new uint16[](voters);
        for (uint256 i = 0; i < voters; ++i) scores[i] = drawn[i] % 4 == 0 ? GONE : drawn[i] % 1001;
        voteOnFirstSolver(scores);
        votes.settle(0, 0, firstSolvers(1));
        (uint8 outcome, uint16 scoreMilli) = Median.outcome(scores, voters, 2);
        expectOutcome(outcome, scoreMilli);
        vm.assertEq(votes.points(solvers[0]), scoreMilli);
    }

    function expectOutcome(uint8 outcome, uint16 scoreMilli) internal view {
        (uint8 actual, uint16 actualScore) = votes.outcomeOf(0, solvers[0]);
        vm.assertEq(actual, outcome);
        vm.assertEq(actualScore, scoreMilli);
    }

    /// @dev A round in which the first two evaluators vote, the third if it is to be forgiven; then the next begins.
    function playWithTwo(uint64 round, bool withThird) internal {
        if (round > 0) enterRound(round);
        commitRollouts(solvers[0]);
        voteOn(round, withThird ? scoresOf(500, 500, 500) : scoresOf(500, 500));
        votes.settle(round, 0, firstSolvers(1));
    }

    function expectNotInShard(bytes32[] memory page, uint32 shard, uint256 first) internal {
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_NotInShard.selector, 0, page[first], shard));
        votes.settle(0, shard, page);
    }

    /// @dev Outside, so that a refusal can be caught.
    function commitBallotHere(IRewardVotes.Ballot calldata ballot) external {
        commitBallot(ballot);
    }
}

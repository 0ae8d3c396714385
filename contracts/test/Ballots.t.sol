// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEvaluatorSeats} from "../src/interfaces/IEvaluatorSeats.sol";
import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {IRoundBeacons} from "../src/interfaces/IRoundBeacons.sol";
import {VotesFixture} from "./VotesFixture.sol";

/// @dev Committing to votes, and revealing them.
contract BallotsTest is VotesFixture {
    function test_CommitsToVotes() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        IRewardVotes.Ballot memory ballot = ballotOf(0, evaluators[0], scoresOf(500));
        vm.expectEmit(address(votes));
        emit IRewardVotes.VotesCommitted(0, evaluators[0], 0, hashOf(ballot));
        commitBallot(ballot);
        expectBallot(ballot, true, false);
        uint256 word = votes.ballotWord(0, 0, ballot.position);
        enterRound(2);
        revealBallot(ballot);
        vm.assertEq(votes.ballotWord(0, 0, ballot.position), word | (1 << 223));
        vm.assertEq(word >> 223, 2);
        ballot.round = 6;
        expectBallot(ballot, false, false);
    }

    function test_TheFirstVoteRecordsTheBeacon() public {
        commitRollouts(solvers[0]);
        vm.warp(rounds.startOf(1));
        openBeacon(rounds, 0);
        vm.assertEq(rounds.beaconOf(0), bytes32(0));
        // Nobody can know its position before: it tries all.
        for (uint8 position = 0; position < 3; ++position) {
            vm.prank(accountNamed(100));
            try votes.commitVotes(0, 0, position, evaluators[0], SALT) {} catch {}
        }
        vm.assertTrue(rounds.beaconOf(0) != 0);
        (bool committed, ) = ballotState(votes.ballotWord(0, 0, positionOf(0, 0, evaluators[0])), 0);
        vm.assertTrue(committed);
    }

    function test_RevertWhen_VotingBeforeTheBeacon() public {
        vm.warp(rounds.startOf(1));
        vm.expectRevert(abi.encodeWithSelector(IRoundBeacons.Rounds_BeaconNotFixed.selector, 0));
        vm.prank(accountNamed(100));
        votes.commitVotes(0, 0, 0, evaluators[0], SALT);
        vm.expectRevert(abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_NoBeacon.selector, 0));
        votes.committeeOf(0, 0);
    }

    function test_RevertWhen_TheRoundsSeedsCameFromNoBeacon() public {
        vm.warp(rounds.startOf(2));
        openBeacon(rounds, 1);
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_RoundVoid.selector, 1));
        vm.prank(accountNamed(100));
        votes.commitVotes(1, 0, 0, evaluators[0], SALT);
    }

    function test_RevertWhen_TheKeyDoesNotCountInTheRound() public {
        bytes32 late = enrolNow(300, accountNamed(300));
        votes.admitEvaluator(late);
        enterRound(1);
        commitRollouts(solvers[0]);
        enterRound(2);
        IRewardVotes.Ballot memory ballot = ballotOf(1, late, scoresOf(500));
        bytes32 commitment = hashOf(ballot);
        vm.expectRevert(abi.encodeWithSelector(IEvaluatorSeats.RewardVotes_KeyTooNew.selector, 1, late, 2));
        vm.prank(accountNamed(300));
        votes.commitVotes(1, 0, ballot.position, late, commitment);
    }

    function test_RevertWhen_CommittingTwice() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        IRewardVotes.Ballot memory ballot = ballotOf(0, evaluators[0], scoresOf(500));
        commitBallot(ballot);
        ballot.contentId = bytes32("other");
        vm.expectRevert(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_AlreadyCommitted.selector, 0, 0, ballot.position)
        );
        commitAs(accountNamed(100), ballot);
    }

    function test_RevertWhen_CommittingInAnotherRound() public {
        for (uint64 round = 0; round <= 2; round += 2) {
            if (round != 0) enterRound(round);
            vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_WrongRound.selector, 0, 1, round));
            vm.prank(accountNamed(100));
            votes.commitVotes(0, 0, 0, evaluators[0], SALT);
        }
    }

    function test_RevertWhen_CommittingForAnothersSeat() public {
        enterRound(1);
        IRewardVotes.Ballot memory ballot = ballotOf(0, evaluators[0], scoresOf(500));
        vm.expectRevert(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_NotPeerAccount.selector, evaluators[0], accountNamed(101))
        );
        commitAs(accountNamed(101), ballot);
    }

    function test_RevertWhen_NotOnTheCommitteeAtThatPosition() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        uint8 own = positionOf(0, 0, evaluators[0]);
        for (uint8 position = 0; position < 7; ++position) {
            if (position != own) expectNotOnCommittee(evaluators[0], accountNamed(100), position);
            expectNotOnCommittee(solvers[0], accountNamed(200), position);
        }
    }

    function test_ASeatTakenAfterTheRoundBeganCannotVoteOnIt() public {
        commitRollouts(solvers[0]);
        votes.admitEvaluator(solvers[1]);
        votes.removeEvaluator(evaluators[0]);
        enterRound(1);
        for (uint8 position = 0; position < 5; ++position) {
            expectNotOnCommittee(solvers[1], accountNamed(201), position);
        }
        commitBallot(ballotOf(0, evaluators[0], scoresOf(500)));
    }

    function test_RevealsVotes() public {
        IRewardVotes.Ballot memory ballot = enterVoted(2, scoresOf(700, GONE));
        vm.expectEmit(address(votes));
        emit IRewardVotes.VotesRevealed(
            0,
            ballot.evaluatorKey,
            0,
            ballot.scoresMilli,
            ballot.componentRoots,
            ballot.contentId
        );
        revealBallot(ballot);
        expectBallot(ballot, true, true);
    }

    /// @dev The salt is the secret: whoever has it may carry the votes to the chain.
    function test_AnyoneWhoKnowsTheSaltMayReveal() public {
        IRewardVotes.Ballot memory ballot = enterVoted(1, scoresOf(700));
        vm.prank(address(0xB0B));
        votes.revealVotes(ballot, SALT);
        expectBallot(ballot, true, true);
    }

    function test_RevertWhen_RevealingTwice() public {
        IRewardVotes.Ballot memory ballot = enterVoted(1, scoresOf(500));
        revealBallot(ballot);
        vm.expectRevert(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_AlreadyRevealed.selector, 0, ballot.evaluatorKey)
        );
        revealBallot(ballot);
    }

    function test_RevertWhen_RevealingInAnotherRound() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        IRewardVotes.Ballot memory ballot = ballotOf(0, evaluators[0], scoresOf(500));
        commitBallot(ballot);
        for (uint64 round = 1; round <= 3; round += 2) {
            if (round != 1) enterRound(round);
            vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_WrongRound.selector, 0, 2, round));
            revealBallot(ballot);
        }
    }

    function test_RevertWhen_RevealingWithoutACommitment() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        IRewardVotes.Ballot memory ballot = ballotOf(0, evaluators[0], scoresOf(500));
        enterRound(2);
        expectNotCommitment(ballot);
        ballot.position = 7;
        expectNotCommitment(ballot);
    }

    function test_RevertWhen_RevealingOtherVotes() public {
        IRewardVotes.Ballot memory ballot = enterVoted(1, scoresOf(500));
        ballot.scoresMilli[0] = 501;
        expectNotCommitment(ballot);
        (ballot.scoresMilli[0], ballot.contentId) = (500, bytes32("other"));
        expectNotCommitment(ballot);
        (ballot.contentId, ballot.componentRoots[0]) = (keccak256("ballot"), bytes32("other"));
        expectNotCommitment(ballot);
        (ballot.componentRoots[0], ballot.evaluatorKey) = (keccak256(abi.encode("components", 0)), evaluators[1]);
        expectNotCommitment(ballot);
        ballot.evaluatorKey = evaluators[0];
        revealBallot(ballot);
    }

    /// @dev A copied ballot cannot be opened: the ballot names its evaluator and its position.
    function test_RevertWhen_RevealingACopiedBallot() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        IRewardVotes.Ballot memory ballot = ballotOf(0, evaluators[0], scoresOf(500));
        commitBallot(ballot);
        uint8 position = positionOf(0, 0, evaluators[1]);
        bytes32 copied = hashOf(ballot);
        vm.prank(accountNamed(101));
        votes.commitVotes(0, 0, position, evaluators[1], copied);
        enterRound(2);
        ballot.position = position;
        expectNotCommitment(ballot);
        ballot.evaluatorKey = evaluators[1];
        expectNotCommitment(ballot);
    }

    function test_RevertWhen_NotOneScoreForEachPeerOfTheShard() public {
        IRewardVotes.Ballot memory ballot = enterVoted(2, scoresOf(500));
        expectMismatch(ballot, 2, 1, 1);
        ballot.scoresMilli = scoresOf(500, 500);
        expectMismatch(ballot, 2, 2, 1);
        ballot.scoresMilli = scoresOf(500, 500, 500);
        ballot.componentRoots = new bytes32[](3);
        expectMismatch(ballot, 2, 3, 3);
    }

    function testFuzz_RevertWhen_AScoreIsOutOfRange(uint16 scoreMilli) public {
        scoreMilli = uint16(bound(scoreMilli, 1001, 65534));
        IRewardVotes.Ballot memory ballot = enterVoted(2, scoresOf(500, scoreMilli));
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_ScoreOutOfRange.selector, 1, scoreMilli));
        revealBallot(ballot);
    }

    function test_RevertWhen_TheRoundIsTheLastNumber() public {
        uint64 last = type(uint64).max;
        expectWrongRound(last, 1);
        votes.commitVotes(last, 0, 0, evaluators[0], SALT);
        expectWrongRound(last, 3);
        votes.settle(last, 0, new bytes32[](0));
        IRewardVotes.Ballot memory ballot;
        ballot.round = last - 1;
        expectWrongRound(last - 1, 2);
        votes.revealVotes(ballot, SALT);
    }

    function test_RevertWhen_NoCommitteeHasThePosition() public {
        votes.ballotWord(0, 0, 4);
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_NoPosition.selector, 5, 5));
        votes.ballotWord(0, 0, 5);
        votes.scoresWord(0, 0, 4, true);
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_NoPosition.selector, 5, 5));
        votes.scoresWord(0, 0, 5, true);
    }

    /// @dev The first solvers commit in round 0, the first evaluator to its votes; round 2 begins.
    function enterVoted(uint256 peers, uint16[] memory scores) internal returns (IRewardVotes.Ballot memory ballot) {
        for (uint256 i = 0; i < peers; ++i) commitRollouts(solvers[i]);
        enterRound(1);
        ballot = ballotOf(0, evaluators[0], scores);
        commitBallot(ballot);
        enterRound(2);
    }

    function expectBallot(IRewardVotes.Ballot memory ballot, bool committed, bool revealed) internal view {
        uint256 word = votes.ballotWord(ballot.round, ballot.shard, ballot.position);
        (bool isCommitted, bool isRevealed) = ballotState(word, ballot.round);
        vm.assertTrue(isCommitted == committed && isRevealed == revealed);
    }

    function expectWrongRound(uint64 round, uint256 roundsLater) internal {
        uint256 dueRound = round + roundsLater;
        vm.expectRevert(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_WrongRound.selector, round, dueRound, rounds.currentRound())
        );
    }

    function expectNotOnCommittee(bytes32 evaluatorKey, address account, uint8 position) internal {
        vm.expectRevert(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_NotOnCommittee.selector, 0, 0, position, evaluatorKey)
        );
        vm.prank(account);
        votes.commitVotes(0, 0, position, evaluatorKey, SALT);
    }

    function expectNotCommitment(IRewardVotes.Ballot memory ballot) internal {
        bytes32 hash = hashOf(ballot);
        vm.expectRevert(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_NotCommitment.selector, 0, ballot.evaluatorKey, hash)
        );
        revealBallot(ballot);
    }

    function expectMismatch(IRewardVotes.Ballot memory ballot, uint256 peers, uint256 scores, uint256 roots) internal {
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_LengthMismatch.selector, peers, scores, roots));
        revealBallot(ballot);
    }
}

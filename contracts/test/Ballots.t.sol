// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {VotesFixture} from "./VotesFixture.sol";

/// @dev Committing to votes, and revealing them.
contract BallotsTest is VotesFixture {
    function test_CommitsToVotes() public {
        enterRound(1);
        bytes32 commitment = hashOf(0, evaluators[0], ballotOf(500));
        vm.expectEmit(address(votes));
        emit IRewardVotes.VotesCommitted(0, evaluators[0], commitment);
        commitBallot(0, evaluators[0], ballotOf(500));
        vm.assertTrue(votes.votesCommitted(0, evaluators[0]));
        vm.assertFalse(votes.votesRevealed(0, evaluators[0]));
        vm.assertFalse(votes.votesCommitted(0, evaluators[1]));
        vm.assertFalse(votes.votesCommitted(6, evaluators[0]));
    }

    function test_RevertWhen_CommittingTwice() public {
        enterRound(1);
        commitBallot(0, evaluators[0], ballotOf(500));
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_AlreadyCommitted.selector, 0, evaluators[0]));
        vm.prank(accountNamed(100));
        votes.commitVotes(0, evaluators[0], bytes32("other"));
    }

    function test_RevertWhen_CommittingInAnotherRound() public {
        for (uint64 round = 0; round <= 2; round += 2) {
            enterRound(round);
            vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_WrongRound.selector, 0, 1, round));
            vm.prank(accountNamed(100));
            votes.commitVotes(0, evaluators[0], bytes32("votes"));
        }
    }

    function test_RevertWhen_CommittingForAnothersSeat() public {
        enterRound(1);
        vm.expectRevert(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_NotPeerAccount.selector, evaluators[0], accountNamed(101))
        );
        vm.prank(accountNamed(101));
        votes.commitVotes(0, evaluators[0], bytes32("votes"));
    }

    function test_RevertWhen_CommittingWithoutASeat() public {
        enterRound(1);
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_NotSeated.selector, solvers[0], 0));
        vm.prank(accountNamed(200));
        votes.commitVotes(0, solvers[0], bytes32("votes"));
    }

    function test_ASeatTakenAfterTheRoundBeganCannotVoteOnIt() public {
        votes.admitEvaluator(solvers[1]);
        votes.removeEvaluator(evaluators[0]);
        enterRound(1);
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_NotSeated.selector, solvers[1], 0));
        vm.prank(accountNamed(201));
        votes.commitVotes(0, solvers[1], bytes32("votes"));
        commitBallot(0, evaluators[0], ballotOf(500));
    }

    function test_RevealsVotes() public {
        commitRollouts(solvers[0]);
        commitRollouts(solvers[1]);
        enterRound(1);
        Ballot memory ballot = twoVotes(700, GONE);
        commitBallot(0, evaluators[1], ballot);
        enterRound(2);
        vm.expectEmit(address(votes));
        emit IRewardVotes.VotesRevealed(
            0,
            evaluators[1],
            ballot.peerKeys,
            ballot.scoresMilli,
            ballot.componentRoots,
            ballot.contentId
        );
        revealBallot(0, evaluators[1], ballot);
        vm.assertTrue(votes.votesCommitted(0, evaluators[1]));
        vm.assertTrue(votes.votesRevealed(0, evaluators[1]));
        vm.assertFalse(votes.votesRevealed(0, evaluators[0]));
        vm.assertFalse(votes.votesRevealed(6, evaluators[1]));
    }

    function test_AnEmptyBallotIsGood() public {
        enterRound(1);
        commitBallot(0, evaluators[0], ballotOf(new uint16[](0)));
        enterRound(2);
        revealBallot(0, evaluators[0], ballotOf(new uint16[](0)));
        vm.assertTrue(votes.votesRevealed(0, evaluators[0]));
    }

    function test_RevertWhen_RevealingTwice() public {
        enterVoted(ballotOf(500));
        revealBallot(0, evaluators[0], ballotOf(500));
        expectRefusedReveal(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_AlreadyRevealed.selector, 0, evaluators[0]),
            ballotOf(500)
        );
    }

    function test_RevertWhen_RevealingInAnotherRound() public {
        commitRollouts(solvers[0]);
        enterRound(1);
        commitBallot(0, evaluators[0], ballotOf(500));
        for (uint64 round = 1; round <= 3; round += 2) {
            enterRound(round);
            expectRefusedReveal(
                abi.encodeWithSelector(IRewardVotes.RewardVotes_WrongRound.selector, 0, 2, round),
                ballotOf(500)
            );
        }
    }

    function test_RevertWhen_RevealingForAnothersSeat() public {
        enterVoted(ballotOf(500));
        vm.expectRevert(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_NotPeerAccount.selector, evaluators[0], accountNamed(101))
        );
        revealAs(accountNamed(101), 0, evaluators[0], ballotOf(500));
    }

    function test_RevertWhen_RevealingWithoutACommitment() public {
        enterRound(2);
        Ballot memory ballot = ballotOf(500);
        expectNotCommitment(ballot);
    }

    function test_RevertWhen_RevealingOtherVotes() public {
        enterVoted(ballotOf(500));
        Ballot memory ballot = ballotOf(501);
        expectNotCommitment(ballot);
        ballot = ballotOf(500);
        ballot.salt = bytes32("other");
        expectNotCommitment(ballot);
        ballot = ballotOf(500);
        ballot.contentId = bytes32("other");
        expectNotCommitment(ballot);
        ballot = ballotOf(500);
        ballot.componentRoots[0] = bytes32("other");
        expectNotCommitment(ballot);
        ballot = ballotOf(500);
        ballot.peerKeys[0] = solvers[1];
        expectNotCommitment(ballot);
    }

    function test_RevertWhen_ArraysDifferInLength() public {
        Ballot memory ballot = ballotOf(500);
        ballot.scoresMilli = new uint16[](2);
        enterVoted(ballot);
        expectRefusedReveal(abi.encodeWithSelector(IRewardVotes.RewardVotes_LengthMismatch.selector, 1, 2, 1), ballot);
        ballot = ballotOf(500);
        ballot.componentRoots = new bytes32[](0);
        expectRefusedReveal(abi.encodeWithSelector(IRewardVotes.RewardVotes_LengthMismatch.selector, 1, 1, 0), ballot);
    }

    function testFuzz_RevertWhen_AScoreIsOutOfRange(uint16 scoreMilli) public {
        scoreMilli = uint16(bound(scoreMilli, 1001, 65534));
        enterVoted(ballotOf(scoreMilli));
        expectRefusedReveal(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_ScoreOutOfRange.selector, solvers[0], scoreMilli),
            ballotOf(scoreMilli)
        );
    }

    function test_RevertWhen_APeerOccursTwice() public {
        Ballot memory ballot = twoVotes(500, 600);
        ballot.peerKeys[1] = solvers[0];
        enterVoted(ballot);
        expectRefusedReveal(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_DuplicatePeer.selector, solvers[0]),
            ballot
        );
    }

    function test_RevertWhen_ScoringAPeerOfTheOwnAccount() public {
        bytes32 own = enrol(300, accountNamed(100));
        commitRollouts(own);
        Ballot memory ballot = ballotOf(1000);
        ballot.peerKeys[0] = own;
        enterVoted(ballot);
        expectRefusedReveal(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_OwnPeer.selector, own, accountNamed(100)),
            ballot
        );
    }

    function test_RevertWhen_ThePeerCommittedNothing() public {
        Ballot memory ballot = twoVotes(500, 600);
        enterVoted(ballot);
        expectRefusedReveal(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_NoCommitment.selector, 0, solvers[1]),
            ballot
        );
    }

    /// @dev The first solver commits in round 0, the first evaluator to the ballot; round 2 begins.
    function enterVoted(Ballot memory ballot) internal {
        commitRollouts(solvers[0]);
        enterRound(1);
        commitBallot(0, evaluators[0], ballot);
        enterRound(2);
    }

    function expectNotCommitment(Ballot memory ballot) internal {
        bytes32 hash = hashOf(0, evaluators[0], ballot);
        expectRefusedReveal(
            abi.encodeWithSelector(IRewardVotes.RewardVotes_NotCommitment.selector, 0, evaluators[0], hash),
            ballot
        );
    }

    function expectRefusedReveal(bytes memory refusal, Ballot memory ballot) internal {
        vm.expectRevert(refusal);
        revealAs(accountNamed(100), 0, evaluators[0], ballot);
    }

    function twoVotes(uint16 first, uint16 second) internal view returns (Ballot memory ballot) {
        uint16[] memory scores = new uint16[](2);
        (scores[0], scores[1]) = (first, second);
        return ballotOf(scores);
    }
}
